import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Server, Socket } from 'node:net'

/** Often missing from users' PATH: nft is there. */
const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`
const START_MS = 10_000
const MAX_COMPLAINT = 2_000

export interface GivenListener {
  readonly listener: Server
  readonly pid: number
}

/** A helper program for a sandbox, which ends with the runner at the latest. */
export class HelperProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #given = Promise.withResolvers<GivenListener>()
  #complaint = ''

  /** Descriptors 0 to 4 are pipes, 5 is Node's channel. The runner's ends close when the runner exits. */
  constructor(program: string, args: readonly string[]) {
    this.#child = spawn(program, args, {
      env: { PATH: path },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'ipc'],
      // A separate process group: interrupting the runner must not cut off agents before they have ended.
      detached: true,
    })
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', resolve)
      this.#child.once('error', (error) => {
        this.#complain(error.message)
        resolve(error)
      })
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#complain(chunk.toString()))
    this.#child.stdout?.resume()
    this.#child.once('message', (message: unknown, handle: unknown) => {
      // Nothing else is said, and what is kept in the namespace has no use for it.
      this.#child.disconnect()
      if (handle instanceof Server) this.#given.resolve({ listener: handle, pid: readHolder(message) })
    })
    for (const stream of this.#child.stdio) stream?.on('error', () => undefined)
  }

  /** 0 if it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Until it has exited, its pid cannot be reused. */
  get isRunning(): boolean {
    return this.pid !== 0 && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Waits for the first output on a descriptor. Throws with its error output if none comes. */
  async awaitWord(fd: number): Promise<void> {
    const stream = this.#child.stdio[fd]
    if (!(stream instanceof Socket)) throw new Error(this.#explain('has no descriptors'))
    const timeout = AbortSignal.timeout(START_MS)
    const isSaid = await Promise.race([
      once(stream, 'data', { signal: timeout }).then(
        () => true,
        () => false,
      ),
      this.#ended.then(() => false),
    ])
    if (!isSaid) throw new Error(this.#explain('did not start'))
  }

  /** Waits for the listening socket that it hands over, with the process that keeps the socket's network. */
  async awaitListener(): Promise<GivenListener> {
    const timeout = AbortSignal.timeout(START_MS)
    const given = await Promise.race([
      this.#given.promise,
      this.#ended,
      once(timeout, 'abort').then(() => undefined),
    ])
    if (!isListener(given)) throw new Error(this.#explain('did not start'))
    return given
  }

  async end(): Promise<void> {
    if (this.isRunning) this.#child.kill('SIGKILL')
    await this.#ended
    for (const stream of this.#child.stdio) stream?.destroy()
    // What it started may live on, and would hand over a socket that nobody closes.
    if (this.#child.connected) this.#child.disconnect()
  }

  #complain(text: string): void {
    this.#complaint = (this.#complaint + text).slice(-MAX_COMPLAINT)
  }

  #explain(what: string): string {
    return `${this.#child.spawnfile} ${what}. Output: ${this.#complaint.trim() || 'none'}`
  }
}

function isListener(given: unknown): given is GivenListener {
  return typeof given === 'object' && given !== null && 'listener' in given
}

function readHolder(message: unknown): number {
  return typeof message === 'object' && message !== null && 'holder' in message ? Number(message.holder) : 0
}
