import type { Command, ProcessEnd, Sandbox, SandboxProcess } from '../../sandbox/sandbox.ts'
import type { TurnError } from '../backend.ts'
import { awaitDrainedEnd, describeEnd } from './drain.ts'
import { StderrTail } from './stderr-tail.ts'

/** A program's process, from before its start until nothing of it is left. */
export class ProgramProcess {
  /** Resolves after all the process's output was read. Never if it wasn't started. */
  readonly ended: Promise<TurnError>
  readonly #name: string
  readonly #resolveEnded: (error: TurnError) => void
  #process: SandboxProcess | undefined
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
    this.#process = child
    child.stdout.once('end', () => {
      this.#isGone = true
    })
    void awaitDrainedEnd(child).then((end) => this.#noticeEnd(end, stderr))
    return child
  }

  /** Ends it and everything it started. The first reason counts. */
  async abandon(reason: TurnError): Promise<void> {
    this.#end ??= reason
    this.#process?.kill()
    await this.#process?.ended
  }

  #noticeEnd(end: ProcessEnd, stderr: StderrTail): void {
    const message = `${this.#name} ended ${describeEnd(end)}. ${stderr.lastLines()}`.trim()
    this.#end ??= { kind: end.code === 127 ? 'program-missing' : 'crash', message }
    this.#resolveEnded(this.#end)
  }
}
