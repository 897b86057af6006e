import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Skein, type SpawnedAgent } from '@skein/client'
import { inlineScript, startSimulator, type Simulator, type SimulatorStep } from '@skein/simulator'
import { waitFor } from '@skein/testkit'
import type { Target } from '../crash/round.ts'
import { Program } from './program.ts'

/** Started as root, runners become this user. */
const RUNNER_USER = 60_901
const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
const WAIT_MS = 180_000
const WATCH_MS = 30_000

/** The real Claude in a real runner, with a simulated model: its conversation and its unfinished work are outside the database. */
export class RealAgent {
  readonly #root: string
  readonly #folder: string
  readonly #skein: Skein
  readonly #url: string
  readonly #key: string
  readonly #simulator: Simulator
  #agent: SpawnedAgent | undefined
  #runner: Program | undefined
  #machines = 0

  private constructor(facts: {
    root: string
    folder: string
    url: string
    skein: Skein
    key: string
    simulator: Simulator
  }) {
    this.#root = facts.root
    this.#folder = facts.folder
    this.#url = facts.url
    this.#skein = facts.skein
    this.#key = facts.key
    this.#simulator = facts.simulator
  }

  /** In a pool of its own, which the other runners don't serve. */
  static async start(
    root: string,
    folder: string,
    { balancerUrl: url, adminKey }: Target,
  ): Promise<RealAgent> {
    const skein = new Skein({ baseUrl: url, apiKey: adminKey })
    // Not every machine can hold limits.
    await skein.catalog.put('vm-profile', 'real', { cpus: 0, memoryMib: 0 })
    await skein.catalog.put('pool', 'real', { sandbox: 'process', vmProfile: 'real' })
    const repos = [{ url: createRepository(folder), baseBranch: 'main' }]
    await skein.catalog.put('workspace', 'real', { repos, pool: 'real' })
    const token = { account: 'robot', role: 'runner', pools: ['real'] }
    const { document } = await skein.catalog.put('token', 'real-runner', token)
    const simulator = await startSimulator()
    const agent = new RealAgent({ root, folder, url, skein, key: String(document['key']), simulator })
    await agent.startRunner()
    return agent
  }

  /** On a machine that has nothing: only the store of conversations and Git are shared. */
  async startRunner(): Promise<void> {
    this.#machines += 1
    const isRoot = process.getuid?.() === 0
    this.#runner = new Program({
      name: 'the real runner',
      command: [process.execPath, join(this.#root, 'packages/runner/src/main.ts')],
      logFile: join(this.#folder, `real-runner-${this.#machines}.log`),
      env: {
        HOME: process.env['HOME'] ?? '/',
        SKEIN_URL: this.#url,
        SKEIN_API_KEY: this.#key,
        SKEIN_RUNNER_DATA_DIR: join(this.#folder, `real-runner-${this.#machines}`),
        SKEIN_RUNNER_BLOBS: `file:${this.blobs}`,
        SKEIN_RUNNER_SANDBOXES: 'process',
        SKEIN_RUNNER_LOCAL_REPOS: 'true',
        SKEIN_RUNNER_HOST_NETWORK: 'true',
        ...(isRoot && { SKEIN_RUNNER_USER: String(RUNNER_USER) }),
        ANTHROPIC_API_KEY: 'any',
        ANTHROPIC_BASE_URL: this.#simulator.url,
      },
    })
    const runner = this.#runner
    await waitFor(() => runner.readLog().includes('the runner is ready'), {
      what: 'the real runner',
      timeoutMs: 60_000,
    })
  }

  async stopRunner(): Promise<void> {
    await this.#runner?.end('SIGKILL')
  }

  get blobs(): string {
    return join(this.#folder, 'blobs')
  }

  /** Gives it work, and waits until it is at rest again. */
  async work(steps: readonly SimulatorStep[]): Promise<void> {
    const text = `Please do this.\n\n${inlineScript(steps)}`
    if (this.#agent === undefined) {
      this.#agent = await this.#skein.spawn({
        workspace: 'real',
        name: 'keeper',
        description: text,
        model: 'claude-sonnet-5',
      })
    } else {
      await this.#agent.send(text)
    }
    const { reason } = await this.#agent.wait({ timeoutMs: WAIT_MS })
    if (reason === 'WAIT_REASON_UNSPECIFIED') throw new Error('the real agent did not come to rest')
  }

  /** Whether the model was last told what was said in an earlier turn. */
  remembers(word: string): boolean {
    const last = this.#simulator.requests.findLast(({ isSide }) => !isSide)
    return JSON.stringify(last?.body ?? '').includes(word)
  }

  /** The output of its last tool. */
  async lastOutput(): Promise<string> {
    let output = ''
    if (this.#agent === undefined) return output
    for await (const event of this.#agent.timeline()) {
      if (event.type === 'run.tool-called') output = event.output
    }
    return output
  }

  /** The number of its newest event. */
  async lastSequence(): Promise<string> {
    return (await this.#agent?.readTimeline({ pageSize: 1 }))?.lastSequence ?? '0'
  }

  /** The numbers of the events that a watch tells which goes on after one that it has seen. */
  async watchOn(after: string): Promise<string[]> {
    const last = await this.lastSequence()
    const told: string[] = []
    if (this.#agent === undefined) return told
    const signal = AbortSignal.timeout(WATCH_MS)
    try {
      for await (const { sequence } of this.#agent.watch({ after, signal })) {
        told.push(sequence)
        if (sequence === last) break
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return told
  }

  backUpBlobs(): void {
    // With their owner: the runner rejects files of others.
    execFileSync('cp', ['-a', this.blobs, `${this.blobs}.backup`])
  }

  /** Next to the ones that are there. Returns how many had been deleted since. */
  restoreBlobs(): number {
    const before = listFiles(this.blobs)
    execFileSync('cp', ['-a', '-n', `${this.blobs}.backup/.`, this.blobs])
    return listFiles(this.blobs) - before
  }

  async stop(): Promise<void> {
    await this.stopRunner()
    await this.#simulator.close()
  }
}

function listFiles(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length
}

function createRepository(folder: string): string {
  const repository = join(folder, 'upstream.git')
  const seed = join(folder, 'seed')
  mkdirSync(seed)
  git('init', '--quiet', '--bare', '--shared=group', '--initial-branch', 'main', repository)
  git('clone', '--quiet', repository, seed)
  writeFileSync(join(seed, 'README.md'), '# Shop\n')
  git('-C', seed, 'add', '--all')
  git('-C', seed, ...IDENTITY, 'commit', '--quiet', '--message', 'Begin')
  git('-C', seed, 'push', '--quiet', 'origin', 'HEAD:main')
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `:${RUNNER_USER}`, repository])
  return repository
}

function git(...args: string[]): void {
  execFileSync('git', args, { stdio: 'ignore' })
}
