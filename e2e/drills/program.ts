import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { waitFor } from '@skein/testkit'

export interface ProgramOptions {
  readonly name: string
  readonly command: readonly string[]
  readonly logFile: string
  readonly env?: Readonly<Record<string, string>>
  /** Some programs refuse to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/** A program of others, such as HAProxy. It ends with this process. */
export class Program {
  readonly #options: ProgramOptions
  readonly #child: ChildProcess
  readonly #onExit = (): void => void this.#child.kill('SIGKILL')

  constructor(options: ProgramOptions) {
    const { command, logFile, env, user } = options
    const [file = '', ...args] = command
    const log = openSync(logFile, 'a')
    this.#options = options
    this.#child = spawn(file, args, {
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', log, log],
      ...user,
    })
    closeSync(log)
    process.once('exit', this.#onExit)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async untilListening(port: number, timeoutMs = 60_000): Promise<void> {
    const { name } = this.#options
    await waitFor(
      () => {
        if (!this.isRunning) throw new Error(`${name} ended:\n${this.readLog().slice(-2_000)}`)
        return isListening(port)
      },
      { what: `${name} to listen on port ${port}`, timeoutMs },
    )
  }

  readLog(): string {
    return readFileSync(this.#options.logFile, 'utf8')
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    process.off('exit', this.#onExit)
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}
