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

/** A process that is started again whenever it ends, as an orchestrator does. */
export class Supervised {
  readonly #options: SupervisedOptions
  #child: ChildProcess | undefined
  #isReady = false
  #isStopping = false
  #supervision: Promise<void> | undefined
  /** Times that it was ready and ended without being killed: each is a fault. */
  unexpectedEnds = 0

  constructor(options: SupervisedOptions) {
    this.#options = options
  }

  start(): void {
    // However this process ends, it leaves nobody behind.
    process.once('exit', () => void this.#child?.kill('SIGKILL'))
    this.#supervision = this.#supervise()
  }

  get name(): string {
    return this.#options.name
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Without warning. Answers whether there was something worth killing. */
  kill(): boolean {
    if (!this.#isReady || this.#isStopping) return false
    this.#isReady = false
    return this.#child?.kill('SIGKILL') === true
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#child?.kill('SIGKILL')
    await this.#supervision
  }

  async #supervise(): Promise<void> {
    const { script, args, env, logFile, name } = this.#options
    while (!this.#isStopping) {
      const log = openSync(logFile, 'a')
      const child = spawn(process.execPath, [script, ...args], {
        env: { PATH: process.env['PATH'], ...env },
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
      if (!this.#isStopping) await pause(200)
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
