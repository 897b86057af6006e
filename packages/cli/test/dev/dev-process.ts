import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { machineNow, waitFor } from '@skein/testkit'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Not below /tmp, which sandboxes have for themselves, and open on the way in for PostgreSQL's user. */
export async function makeDataDir(): Promise<string> {
  const directory = await mkdtemp('/var/tmp/skein-dev-')
  await chmod(directory, 0o755)
  return directory
}

export interface DevRun {
  readonly child: ChildProcess
  readonly exitCode: Promise<number | null>
  stdout(): string
  stderr(): string
  /** To the whole process group, as a terminal does. */
  signal(signal: NodeJS.Signals): void
}

export interface ReadyDev extends DevRun {
  readonly baseUrl: string
  readonly apiKey: string
  readonly dashboardUrl: string
  readonly signInUrl: string
  readonly readyMs: number
}

type Environment = Readonly<Record<string, string>>

const running = new Set<DevRun>()

/** `skein dev` in a separate terminal. */
export function runDevProcess(dataDir: string, env: Environment, ...args: string[]): DevRun {
  return launch(process.execPath, [MAIN, 'dev', '--data-dir', dataDir, ...args], {
    cwd: dataDir,
    env: { SKEIN_CONFIG: join(dataDir, 'config.json'), ...env },
  })
}

/** The same, once its line of JSON is there. */
export function startDevProcess(
  dataDir: string,
  env: Environment = {},
  ...args: string[]
): Promise<ReadyDev> {
  return untilReady(runDevProcess(dataDir, env, '--json', '--port', '0', ...args))
}

/** As the documents say it, in a folder that stands for the clone; only the port is free to be any. */
export function runNpxDev(clone: string): Promise<ReadyDev> {
  const place = { cwd: clone, env: { HOME: join(clone, 'home') } }
  return untilReady(launch('npx', ['skein', 'dev', '--json', '--port', '0'], place))
}

function launch(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): DevRun {
  const { ANTHROPIC_API_KEY: _a, OPENAI_API_KEY: _b, ...rest } = process.env
  const child = spawn(program, args, {
    cwd,
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const run: DevRun = {
    child,
    exitCode: once(child, 'close').then(() => {
      running.delete(run)
      return child.exitCode
    }),
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) =>
      void (child.pid !== undefined && running.has(run) && process.kill(-child.pid, signal)),
  }
  running.add(run)
  return run
}

async function untilReady(run: DevRun): Promise<ReadyDev> {
  const startedAt = machineNow()
  await waitFor(() => run.stdout().includes('\n') || run.child.exitCode !== null, {
    what: 'skein dev to be ready',
    timeoutMs: 180_000,
  })
  if (run.stdout() === '') throw new Error(`skein dev did not get ready:\n${run.stderr()}`)
  const readyMs = Math.round(machineNow() - startedAt)
  const ready = JSON.parse(run.stdout()) as Pick<
    ReadyDev,
    'baseUrl' | 'apiKey' | 'dashboardUrl' | 'signInUrl'
  >
  return { ...run, ...ready, readyMs }
}

/** Ends what a failed test has left running, then deletes the folder. */
export async function removeDataDir(dataDir: string): Promise<void> {
  for (const run of running) {
    run.signal('SIGKILL')
    await run.exitCode
  }
  await untilNothingRuns(dataDir)
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
}

export async function untilNothingRuns(dataDir: string): Promise<void> {
  await waitFor(() => processesOf(dataDir).length === 0, {
    what: 'every process of skein dev to end',
    timeoutMs: 30_000,
  })
}

export interface FoundProcess {
  readonly pid: number
  readonly command: string
}

/** Processes that have to do with the folder: it is in their command line or environment, or they are in it. */
export function processesOf(directory: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => `${read(pid, 'cmdline')}\n${read(pid, 'environ')}\n${readCwd(pid)}`.includes(directory))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').split('\0').join(' ').trim() }))
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function readCwd(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
