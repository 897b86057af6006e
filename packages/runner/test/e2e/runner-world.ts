import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { AgentId, Diff, AgentStatus, EventType, TimelineEvent } from '@skein/contract'
import {
  inlineScript,
  startSimulator,
  type Simulator,
  type SimulatorOptions,
  type SimulatorStep,
} from '@skein/simulator'
import {
  bareEnvironment,
  machineNow,
  startTestServer,
  waitFor,
  type TestClient,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'

const run = promisify(execFile)
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Started as root, as in CI, runners become this user; the tests stay root. */
const RUNNER_USER = 60_901
const isRoot = process.getuid?.() === 0

type Fields = Readonly<Record<string, unknown>>

export interface RunnerProcess {
  readonly child: ChildProcess
  readonly dataDir: string
  output(): string
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>
  /** SIGKILL: nothing is said, nothing is saved. */
  kill(): Promise<void>
}

/** A service, a model simulator, an upstream repository and as many real runners as a test starts. */
export class RunnerWorld {
  readonly server: TestServer
  readonly tenant: TestTenant
  readonly simulator: Simulator
  readonly baseUrl: string
  readonly folder: string
  readonly upstream: string
  readonly #runnerKey: string
  readonly #runners: RunnerProcess[] = []

  private constructor(facts: {
    server: TestServer
    tenant: TestTenant
    simulator: Simulator
    baseUrl: string
    folder: string
    upstream: string
    runnerKey: string
  }) {
    this.server = facts.server
    this.tenant = facts.tenant
    this.simulator = facts.simulator
    this.baseUrl = facts.baseUrl
    this.folder = facts.folder
    this.upstream = facts.upstream
    this.#runnerKey = facts.runnerKey
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    model: SimulatorOptions = {},
  ): Promise<RunnerWorld> {
    const server = await startTestServer({ settings: { SKEIN_LEASE_MS: '5000', ...settings }, sweeps: true })
    const baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const tenant = await server.createTenant()
    const simulator = await startSimulator(model)
    const folder = await mkdtemp('/var/tmp/skein-e2e-')
    const upstream = await createUpstream(folder)
    if (isRoot) {
      await chmod(folder, 0o755)
      await run('chgrp', ['-R', String(RUNNER_USER), upstream])
    }
    const token = { account: 'robot', role: 'runner', pools: ['default'] }
    const written = await tenant.operator.write('token', 'runner', token, { justification: 'a test' })
    const runnerKey = String(written.document['key'])
    const world = new RunnerWorld({ server, tenant, simulator, baseUrl, folder, upstream, runnerKey })
    // Not every host that runs the tests can hold these.
    await world.write('vm-profile', 'default', { cpus: 0, memoryMib: 0 })
    await world.write('workspace', 'shop', { repos: [{ url: upstream, baseBranch: 'main' }] })
    return world
  }

  get admin(): TestClient {
    return this.tenant.admin
  }

  async write(kind: string, name: string, document: Fields): Promise<void> {
    const answer = await this.admin.write(kind, name, document)
    if (answer.status !== 200) throw new Error(answer.text)
  }

  /** What keeps agents in from now on. */
  useSandbox(sandbox: 'process' | 'bubblewrap'): Promise<void> {
    return this.write('pool', 'default', { sandbox, vmProfile: 'default' })
  }

  async startRunner(settings: Readonly<Record<string, string>> = {}): Promise<RunnerProcess> {
    const dataDir = join(this.folder, `runner-${this.#runners.length}`)
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...bareEnvironment(),
        HOME: process.env['HOME'],
        SKEIN_URL: this.baseUrl,
        SKEIN_API_KEY: this.#runnerKey,
        SKEIN_RUNNER_DATA_DIR: dataDir,
        SKEIN_RUNNER_BLOBS: `file:${join(this.folder, 'blobs')}`,
        SKEIN_RUNNER_SANDBOXES: 'process,bubblewrap',
        SKEIN_RUNNER_LOCAL_REPOS: 'true',
        SKEIN_RUNNER_HOST_NETWORK: 'true',
        ...(isRoot && { SKEIN_RUNNER_USER: String(RUNNER_USER) }),
        ANTHROPIC_API_KEY: PROVIDER_KEYS.anthropic,
        ANTHROPIC_BASE_URL: this.simulator.url,
        OPENAI_API_KEY: PROVIDER_KEYS.openai,
        OPENAI_BASE_URL: `${this.simulator.url}/v1`,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal)
      await ended
    }
    const runner: RunnerProcess = {
      child,
      dataDir,
      output: () => output,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
    }
    this.#runners.push(runner)
    await waitFor(() => output.includes('the runner is ready') || child.exitCode !== null, {
      what: 'the runner',
      timeoutMs: 30_000,
    })
    if (!output.includes('the runner is ready')) throw new Error(output)
    return runner
  }

  /** An agent whose model says and does what the steps say. */
  async spawn(name: string, steps: readonly SimulatorStep[], fields: Fields = {}): Promise<AgentId> {
    return this.spawnWith(name, `Please do this.\n\n${inlineScript(steps)}`, fields)
  }

  async spawnWith(name: string, description: string, fields: Fields = {}): Promise<AgentId> {
    const { status, text, body } = await this.admin.post('/v1/agent/spawn', {
      agentId: { agent: name.split('/'), workspace: 'shop' },
      description,
      ...fields,
    })
    if (status !== 200) throw new Error(text)
    return body['agentId'] as AgentId
  }

  async send(agentId: AgentId, steps: readonly SimulatorStep[], fields: Fields = {}): Promise<void> {
    const description = `And this.\n\n${inlineScript(steps)}`
    const answer = await this.admin.post('/v1/agent/queue', { agentId, description, ...fields })
    if (answer.status !== 200) throw new Error(answer.text)
  }

  async status(agentId: AgentId): Promise<AgentStatus> {
    const { status, text, body } = await this.admin.post('/v1/agent/status', { agentId })
    if (status !== 200) throw new Error(text)
    return body as unknown as AgentStatus
  }

  /** The agent's status once it rests or has ended. By the clock of the machine, which may be starved. */
  async settled(agentId: AgentId, timeoutMs = 60_000): Promise<AgentStatus> {
    const headers = { prefer: `wait=${Math.ceil(Math.min(timeoutMs, 10_000) / 1000)}` }
    const startedAt = machineNow()
    let { body } = await this.admin.post('/v1/agent/wait', { agentId }, { headers })
    while (body['reason'] === 'WAIT_REASON_UNSPECIFIED' && machineNow() - startedAt < timeoutMs) {
      ;({ body } = await this.admin.post('/v1/agent/wait', { agentId }, { headers }))
    }
    if (body['reason'] === 'WAIT_REASON_UNSPECIFIED') {
      const events = await this.timeline(agentId)
      const output = this.#runners.map((runner) => runner.output()).join('\n')
      throw new Error(
        `${agentId.agent.join('/')} did not settle: ${JSON.stringify(events.slice(-8))}\n${output}`,
      )
    }
    return body['status'] as AgentStatus
  }

  waitUntil(what: string, condition: () => Promise<boolean>, timeoutMs = 30_000): Promise<unknown> {
    return waitFor(async () => ((await condition()) ? true : undefined), { what, timeoutMs })
  }

  async timeline(agentId: AgentId): Promise<TimelineEvent[]> {
    const { body } = await this.admin.post('/v1/agent/timeline', { agentId, pageSize: 1000 })
    return body['events'] as TimelineEvent[]
  }

  async events<Type extends EventType>(
    agentId: AgentId,
    type: Type,
  ): Promise<Extract<TimelineEvent, { type: Type }>[]> {
    const all = await this.timeline(agentId)
    return all.filter((event): event is Extract<TimelineEvent, { type: Type }> => event.type === type)
  }

  async diffs(agentId: AgentId): Promise<Diff[]> {
    const { body } = await this.admin.post('/v1/agent/diffs', { agentId })
    return body['diffs'] as Diff[]
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await run('git', ['-C', this.upstream, ...args])
    return stdout.trim()
  }

  async stopRunners(): Promise<void> {
    for (const { child, kill } of this.#runners)
      if (child.exitCode === null && child.signalCode === null) await kill()
  }

  async close(): Promise<void> {
    await this.stopRunners()
    await this.simulator.close()
    await this.server.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Looked for in every place where they must not be. */
export const PROVIDER_KEYS = {
  anthropic: 'sk-ant-provider-0a7f31c2b6',
  openai: 'sk-oai-provider-93be55d10e',
} as const

async function createUpstream(folder: string): Promise<string> {
  const upstream = join(folder, 'upstream.git')
  const seed = join(folder, 'seed')
  await run('git', ['init', '-q', '--bare', '--shared=group', '-b', 'main', upstream])
  await run('git', ['clone', '-q', upstream, seed])
  await writeFile(join(seed, 'README.md'), '# Shop\n')
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await run('git', ['-C', seed, 'add', '-A'])
  await run('git', ['-C', seed, ...identity, 'commit', '-q', '-m', 'Begin'])
  await run('git', ['-C', seed, 'push', '-q', 'origin', 'HEAD:main'])
  return upstream
}
