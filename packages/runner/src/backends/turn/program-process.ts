import type { Command, Sandbox, SandboxProcess } from '../../sandbox/sandbox.ts'
import type { TurnError } from '../backend.ts'
import { awaitDrainedEnd, errorOfEnd } from './drain.ts'
import { StderrTail } from './stderr-tail.ts'

/** What was started, directly or by a library. */
interface StartedProcess {
  kill(): void
  /** Resolves when nothing of it is left. */
  readonly gone: Promise<unknown>
  /** Why it ended. Resolves after all its output was read. */
  readonly ended: Promise<TurnError>
}

/** A program's process, from before its start until nothing of it is left. */
export class ProgramProcess {
  /** Resolves after all the process's output was read. Never if it wasn't started. */
  readonly ended: Promise<TurnError>
  readonly #name: string
  readonly #resolveEnded: (error: TurnError) => void
  #process: StartedProcess | undefined
  #end: TurnError | undefined
  #isGone = false

  constructor(name: string) {
    this.#name = name
    const { promise, resolve } = Promise.withResolvers<TurnError>()
    this.ended = promise
    this.#resolveEnded = resolve
  }

  get isAlive(): boolean {
    return this.#end === undefined && !this.#isGone
  }

  /** Why there is no process anymore, or must not be one. */
  get end(): TurnError | undefined {
    return this.#end
  }

  start(sandbox: Sandbox, command: Command): SandboxProcess {
    const child = sandbox.spawn(command)
    const stderr = new StderrTail(child.stderr)
    child.stdout.once('end', () => {
      this.#isGone = true
    })
    this.follow({
      kill: () => child.kill(),
      gone: child.ended,
      ended: awaitDrainedEnd(child).then((end) => errorOfEnd(this.#name, end, stderr)),
    })
    return child
  }

  follow(process: StartedProcess): void {
    this.#process = process
    void process.ended.then((error) => {
      this.#end ??= error
      this.#resolveEnded(this.#end)
    })
  }

  /** Ends it and everything it started. The first reason counts. */
  async abandon(reason: TurnError): Promise<void> {
    this.#end ??= reason
    this.#process?.kill()
    await this.#process?.gone
  }
}
