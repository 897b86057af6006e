import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, waitFor } from '@skein/testkit'

const PROGRAMS = {
  'skein-server': fileURLToPath(new URL('../../src/main.ts', import.meta.url)),
  'skein-admin': fileURLToPath(new URL('../../src/admin.ts', import.meta.url)),
}
const started = new Set<SkeinProcess>()

const MASTER_KEY = randomBytes(32).toString('base64')

/** One of the server's programs, with these settings and nothing of the environment that the tests run in. */
class SkeinProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<number | NodeJS.Signals>
  stdout = ''
  stderr = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.stdout += chunk))
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk))
    this.ended = once(child, 'close').then(([code, signal]: unknown[]) => {
      started.delete(this)
      return (code ?? signal) as number | NodeJS.Signals
    })
  }

  static start(
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    program: keyof typeof PROGRAMS = 'skein-server',
  ): SkeinProcess {
    const child = spawn(process.execPath, [PROGRAMS[program], ...args], {
      env: { ...bareEnvironment(), SKEIN_MASTER_KEY: MASTER_KEY, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const skein = new SkeinProcess(child)
    started.add(skein)
    return skein
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** What it logged, line by line. */
  get logLines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
}

export interface Outcome {
  readonly code: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

/** A command from its start to its end. */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  program: keyof typeof PROGRAMS = 'skein-server',
): Promise<Outcome> {
  const skein = SkeinProcess.start(args, settings, program)
  const code = await skein.ended
  return { code, stdout: skein.stdout, stderr: skein.stderr }
}

export interface ServerProcess {
  readonly process: SkeinProcess
  readonly url: string
}

/** A server on a free port, once it says that it listens. */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const skein = SkeinProcess.start(['serve'], { SKEIN_PORT: '0', ...settings })
  const url = await waitFor(
    () => {
      if (!skein.isRunning) return 'ended'
      return /Server listening at (http:\/\/[^"]+)"/.exec(skein.stdout)?.[1]
    },
    { what: 'a server to listen', timeoutMs: 30_000 },
  )
  if (url === 'ended')
    throw new Error(`The server ended instead of listening: ${skein.stdout}${skein.stderr}`)
  return { process: skein, url }
}

/** Ends what a test left running, so that one failure does not look like several. */
export async function endProcesses(): Promise<void> {
  const left = [...started]
  for (const skein of left) skein.signal('SIGKILL')
  await Promise.all(left.map((skein) => skein.ended))
}
