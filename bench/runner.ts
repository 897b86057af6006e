/**
 * `npm run bench:runner`: the real Claude and Codex against the model simulator. Prints the time from a spawn to the
 * first model request and to the end, in turns with the same program by hand; how long a stop takes; and the cost and
 * success of many concurrent runs. The last line is JSON with the ratios.
 * Options: --runs 32 --samples 10 --stops 25 --sandbox bubblewrap; 0 leaves a part out
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTransport } from '@skein/client'
import {
  agentStatus,
  encodeBase64Text,
  readTimeline,
  spawnAgent,
  stopTurn,
  waitForAgent,
  writeResource,
} from '@skein/contract'
import { listProcessTree } from '@skein/host'
import { inlineScript, startSimulator, type SimulatorStep } from '@skein/simulator'
import { setStage } from './stage.ts'
import { measureStarts, MODELS, type StartRatios } from './starts.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '32' },
    samples: { type: 'string', default: '10' },
    stops: { type: 'string', default: '25' },
    sandbox: { type: 'string', default: 'bubblewrap' },
  },
})
const runs = Number(values.runs)
const samples = Number(values.samples)
const stops = Number(values.stops)

const folder = await mkdtemp('/var/tmp/skein-bench-')
// A runner started as root runs as another user.
await chmod(folder, 0o755)
const stage = await setStage()
const simulator = await startSimulator({ logLimit: 100_000 })
const api = createTransport({ baseUrl: stage.baseUrl, apiKey: stage.adminKey })
let runner: ChildProcess | undefined
try {
  // Not every benchmark host can enforce these limits.
  await write('vm-profile', 'default', { cpus: 0, memoryMib: 0 })
  await write('pool', 'default', { sandbox: values.sandbox, vmProfile: 'default', maxRuns: 1000 })
  const token = await write('token', 'runner', { account: 'robot', role: 'runner', pools: ['default'] })
  runner = await startRunner(String(token['key']))
  console.log(`sandbox ${values.sandbox}, ${samples} samples each`)
  const starts = { api, simulator, folder, samples }
  const claude = await measureStarts('claude', starts)
  const codex = await measureStarts('codex', starts)
  for (const [name, model] of Object.entries(MODELS)) if (stops > 0) await measureStops(name, model)
  for (const [name, model] of Object.entries(MODELS)) if (runs > 0) await measureMany(name, model)
  console.log(JSON.stringify({ ratios: { claude: mediansOf(claude), codex: mediansOf(codex) } }))
} finally {
  if (runner?.exitCode === null) {
    runner.kill('SIGTERM')
    await once(runner, 'exit')
  }
  await simulator.close()
  await stage.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Time from sending to the model's next request. */
async function untilRequest(send: () => Promise<unknown>): Promise<number> {
  const known = simulator.requests.length
  const beganAt = Date.now()
  await send()
  for (;;) {
    const request = simulator.requests.slice(known).find(({ isSide }) => !isSide)
    if (request) return request.startedAt - beganAt
    await pause(5)
  }
}

/** Time from the stop request until the agent is idle, in the middle of a command. */
async function measureStops(name: string, model: string): Promise<void> {
  const times: Record<'INTERRUPT' | 'KILL', number[]> = { INTERRUPT: [], KILL: [] }
  for (const mode of ['INTERRUPT', 'KILL'] as const) {
    for (let sample = 0; sample < stops; sample++) {
      const agentId = { workspace: 'default', agent: [`${mode.toLowerCase()}-${name}-${sample}`] }
      const description = script([{ shell: 'tail -f /dev/null' }])
      await untilRequest(() => api.call(spawnAgent, { body: { agentId, model, description } }))
      await untilProgress(agentId)
      const beganAt = performance.now()
      await api.call(stopTurn, { body: { agentId, runId: '1', mode: `STOP_TURN_MODE_${mode}` } })
      await api.call(waitForAgent, { body: { agentId } })
      times[mode].push(performance.now() - beganAt)
    }
  }
  for (const [mode, taken] of Object.entries(times)) {
    const slowest = Math.round(Math.max(...taken))
    console.log(
      `  ${name.padEnd(7)} ${mode} to agent at rest, ${stops} times: p50 ${Math.round(median(taken))} ms, slowest ${slowest} ms`,
    )
  }
}

/** Waits until the command has started. */
async function untilProgress(agentId: { workspace: string; agent: string[] }): Promise<void> {
  for (;;) {
    const { events } = await api.call(readTimeline, { body: { agentId } })
    if (events.some(({ type }) => type === 'run.tool-started')) return
    await pause(20)
  }
}

async function measureMany(name: string, model: string): Promise<void> {
  // The first answer comes only when all of them are in their last call, so that they are measured together.
  const steps = [
    { shell: 'echo 1' },
    { shell: 'echo 2' },
    { shell: 'echo 3' },
    { say: 'Done.', delayMs: 20_000 },
  ]
  const agents = Array.from({ length: runs }, (_none, index) => ({
    workspace: 'default',
    agent: [`many-${name}-${index}`],
  }))
  const beganAt = Date.now()
  const known = simulator.requests.length
  await Promise.all(
    agents.map((agentId) => api.call(spawnAgent, { body: { agentId, model, description: script(steps) } })),
  )
  const inLastStep = () => simulator.requests.slice(known).filter(({ step }) => step === steps.length)
  let peakMib = 0
  let peakRuns = 0
  while (inLastStep().length < runs && Date.now() - beganAt < 300_000) {
    const open = inLastStep().filter(({ endedAt }) => endedAt === undefined).length
    if (open >= peakRuns) {
      peakRuns = open
      peakMib = (await memoryOf(runner?.pid ?? 0)) / 1024
    }
    await pause(250)
  }
  const statuses = await Promise.all(
    agents.map(async (agentId) => {
      await api.call(waitForAgent, { body: { agentId }, timeoutMs: 300_000 })
      return api.call(agentStatus, { body: { agentId } })
    }),
  )
  const good = statuses.filter(({ run }) => run.endReason === 'rested' && run.attempt === 1).length
  const seconds = ((Date.now() - beganAt) / 1000).toFixed(1)
  console.log(
    `  ${name.padEnd(7)} ${runs} runs at once: ${good} succeeded at the first attempt in ${seconds} s; ${peakRuns} together took ${peakMib.toFixed(0)} MiB with the runner, ${(peakMib / Math.max(1, peakRuns)).toFixed(0)} MiB each`,
  )
}

/** Proportional memory of a process and its descendants, in KiB. */
async function memoryOf(root: number): Promise<number> {
  const sizes = await Promise.all(
    listProcessTree(root).map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0)
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function startRunner(key: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['packages/runner/src/main.ts'], {
    env: {
      PATH: process.env['PATH'],
      SKEIN_URL: stage.baseUrl,
      SKEIN_API_KEY: key,
      SKEIN_RUNNER_DATA_DIR: join(folder, 'runner'),
      SKEIN_RUNNER_SANDBOXES: 'process,bubblewrap',
      SKEIN_RUNNER_HOST_NETWORK: 'true',
      SKEIN_RUNNER_CAPACITY: String(Math.max(runs, 4)),
      SKEIN_RUNNER_WARM_MS: '5000',
      ANTHROPIC_API_KEY: 'simulated',
      ANTHROPIC_BASE_URL: simulator.url,
      OPENAI_API_KEY: 'simulated',
      OPENAI_BASE_URL: `${simulator.url}/v1`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The runner did not start')))
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('the runner is ready')) resolve()
    })
  })
  return child
}

async function write(kind: string, name: string, document: object): Promise<Record<string, unknown>> {
  const { payload } = await api.call(writeResource, {
    params: { 'ref.kind': kind, 'ref.name': name },
    body: { payload: encodeBase64Text(JSON.stringify(document)) },
  })
  const parsed: unknown = JSON.parse(atob(payload))
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
}

function script(steps: readonly SimulatorStep[]): string {
  return `Do this.\n\n${inlineScript(steps)}`
}

function mediansOf({ coldStart, finish }: StartRatios): Readonly<Record<string, number>> {
  return { coldStart: round(coldStart.median), finish: round(finish.median) }
}

function round(ratio: number): number {
  return Math.round(ratio * 100) / 100
}

function median(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] ?? NaN
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
