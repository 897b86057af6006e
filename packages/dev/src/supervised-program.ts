import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DataDir, ProgramName } from './data-dir.ts'
import { DevError } from './dev-error.ts'
import { formatLogLine } from './format-log-line.ts'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 25
const SHOWN_LINES = 15

export interface ProgramSpec {
  readonly name: ProgramName
  readonly script: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** A program that ends with this process, however this process ends. */
export class SupervisedProgram {
  readonly name: ProgramName
  readonly #logFile: string
  readonly #shownLogFile: string
  readonly #supervisor: ChildProcessByStdio<Writable, Readable, null>
  /** How it ended. */
  readonly ended: Promise<string>
  #hasEnded = false

  private constructor(dataDir: DataDir, spec: ProgramSpec) {
    this.name = spec.name
    this.#logFile = dataDir.log(spec.name)
    this.#shownLogFile = `${dataDir.name}/logs/${spec.name}.log`
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const supervisor = fileURLToPath(new URL(`./supervisor.${extension}`, import.meta.url))
    const args = [supervisor, dataDir.lock(spec.name), this.#logFile, spec.script, ...spec.args]
    this.#supervisor = spawn(process.execPath, args, {
      cwd: dataDir.path,
      env: spec.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      // In its own process group: Ctrl-C must reach only us, so that we can stop things in order.
      detached: true,
    })
    this.#supervisor.stdin.on('error', () => {})
    let reason = ''
    this.#supervisor.stdout.setEncoding('utf8').on('data', (chunk: string) => (reason += chunk))
    this.ended = new Promise((resolve) => {
      this.#supervisor.once('error', (error) => resolve(error.message))
      this.#supervisor.once('close', () => resolve(reason || 'was ended'))
    })
    void this.ended.then(() => (this.#hasEnded = true))
  }

  static async start(dataDir: DataDir, spec: ProgramSpec): Promise<SupervisedProgram> {
    const log = dataDir.log(spec.name)
    // The previous log is kept: it may say why a restart was needed.
    if (existsSync(log)) await rename(log, `${log}.1`)
    return new SupervisedProgram(dataDir, spec)
  }

  readLog(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : ''
  }

  /** The first value the probe returns. */
  async untilReady<T>(probe: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
    const giveUpAt = performance.now() + START_TIMEOUT_MS
    for (;;) {
      const value = await probe()
      if (value !== undefined) return value
      if (this.#hasEnded) throw this.explainEnd(await this.ended)
      if (performance.now() > giveUpAt) throw this.explainEnd(`was not ready after ${START_TIMEOUT_MS} ms`)
      await pause(POLL_MS, undefined, { signal })
    }
  }

  explainEnd(reason: string): DevError {
    const lines = this.readLog().trimEnd().split('\n').slice(-SHOWN_LINES)
    return new DevError(
      `The ${this.name} ${reason}. The end of ${this.#shownLogFile}:\n\n${lines.map((line) => `  ${formatLogLine(line)}`).join('\n')}`,
    )
  }

  async stop(): Promise<void> {
    if (!this.#hasEnded) this.#supervisor.stdin.write('stop\n')
    await this.ended
  }
}
