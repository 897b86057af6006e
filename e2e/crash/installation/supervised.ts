import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface SupervisedOptions {
  readonly name: string
  readonly script: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
  isReady(pid: number): Promise<boolean>
}

/** A process that is restarted whenever it ends, as an orchestrator does. */
export class Supervised {
  readonly #options: SupervisedOptions
  #child: ChildProcess | undefined
  #isReady = false
  #isStopping = false
  #supervision: Promise<void> | undefined
  readonly #onExit = (): void => void this.#child?.kill('SIGKILL')
  /** How often it ended while ready without being killed: each is a fault. */
  unexpectedEnds = 0

  constructor(options: SupervisedOptions) {
    this.#options = options
  }

  /** Also after `stop` or `terminate`. */
  start(): void {
    this.#isStopping = false
    // However this process ends, it leaves nothing running.
    process.once('exit', this.#onExit)
    this.#supervision = this.#supervise()
  }

  get name(): string {
    return this.#options.name
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Kills without warning. Returns whether there was something worth killing. */
  kill(): boolean {
    if (!this.#isReady || this.#isStopping) return false
    this.#isReady = false
    return this.#child?.kill('SIGKILL') === true
  }

  /** Suspended for a while: it keeps its connections, and later continues as if nothing had happened. */
  async freeze(ms: number): Promise<void> {
    const child = this.#child
    if (!this.#isReady || child?.kill('SIGSTOP') !== true) return
    await pause(ms)
    child.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Lets it finish what it does, as a supervisor does before an upgrade. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true
    this.#child?.kill(signal)
    await this.#supervision
    process.off('exit', this.#onExit)
  }

  async #supervise(): Promise<void> {
    const { script, args, env, logFile, name } = this.#options
    while (!this.#isStopping) {
      const log = openSync(logFile, 'a')
      const child = spawn(process.execPath, [script, ...args], {
        env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      this.#child = child
      const ended = once(child, 'exit')
      void this.#watchReadiness(child)
      const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
      if (this.#isReady && !this.#isStopping) {
        this.unexpectedEnds++
        console.log(`  ${name} ended by itself (${signal ?? code}): see ${logFile}`)
      }
      this.#isReady = false
      if (!this.#isStopping) await pause(100)
    }
  }

  async #watchReadiness(child: ChildProcess): Promise<void> {
    while (child.exitCode === null && child.signalCode === null && this.#child === child) {
      if (await this.#options.isReady(child.pid ?? 0).catch(() => false)) {
        this.#isReady = child.exitCode === null && child.signalCode === null && this.#child === child
        return
      }
      await pause(50)
    }
  }
}
