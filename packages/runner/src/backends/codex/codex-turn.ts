import type { SessionRef, TurnRequest } from '../backend.ts'
import { ProgramTurn } from '../turn/program-turn.ts'
import type { OpenSession, TurnContext } from '../turn/turn-course.ts'
import { errorOfTurn } from './errors.ts'
import { eventOfCompleted, eventOfStarted } from './items.ts'
import { RpcClosedError } from './json-rpc.ts'
import { ErrorNotice, ItemNotice, TurnCompleted, TurnStarted, Warning, type ErrorDetails } from './wire.ts'

/** An open conversation in a running program. */
export interface CodexThread extends OpenSession {
  readonly session: SessionRef
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

export interface CodexTurnSettings {
  readonly effort: string
  /** The schema the provider enforces. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
}

/** One of our turns: one of Codex's, plus another if the answer must be corrected. */
export class CodexTurn extends ProgramTurn<CodexThread> {
  readonly #settings: CodexTurnSettings
  readonly #started = Promise.withResolvers<void>()
  #turnId: string | undefined
  #lastError: ErrorDetails | undefined

  constructor(request: TurnRequest, settings: CodexTurnSettings, context: TurnContext<CodexThread>) {
    super(request, context)
    this.#settings = settings
    void this.result.then(() => this.#started.resolve())
  }

  override async steer(text: string): Promise<boolean> {
    await this.#started.promise
    const thread = this.course.openSession
    if (!thread || this.#turnId === undefined) return false
    try {
      await thread.request('turn/steer', { expectedTurnId: this.#turnId, input: [textInput(text)] })
      return true
    } catch {
      return false
    }
  }

  /** The program shows activity, even if not in this conversation. */
  touch(): void {
    this.course.record.touch()
  }

  /** Processes a notification about this conversation. */
  notice(method: string, params: unknown): void {
    this.touch()
    switch (method) {
      case 'turn/started':
        return this.#noticeStart(params)
      case 'turn/completed':
        return this.#noticeEnd(params)
      case 'item/started':
      case 'item/completed': {
        const item = ItemNotice.safeParse(params).data?.item
        const event = item && (method === 'item/started' ? eventOfStarted(item) : eventOfCompleted(item))
        if (event) this.course.emit(event)
        return undefined
      }
      case 'error':
        return this.#noticeError(params)
      case 'warning': {
        const message = Warning.safeParse(params).data?.message
        if (message !== undefined) this.course.emit({ type: 'warning', message })
        return undefined
      }
      default:
        return undefined
    }
  }

  protected override async begin(thread: CodexThread, text: string): Promise<void> {
    const { effort, outputSchema } = this.#settings
    this.#turnId = undefined
    try {
      const params = { input: [textInput(text)], ...(effort !== '' && { effort }), outputSchema }
      this.#noticeStart(await thread.request('turn/start', params))
    } catch (error) {
      // If the program has exited, its end is reported elsewhere.
      if (!(error instanceof RpcClosedError)) throw error
    }
  }

  protected override async cancel(thread: CodexThread): Promise<void> {
    await this.#started.promise
    if (this.#turnId !== undefined && !this.isOver) {
      await thread.request('turn/interrupt', { turnId: this.#turnId })
    }
  }

  /** Codex leaves the command running that a turn was interrupted in. */
  protected override async cleanUp(thread: CodexThread): Promise<void> {
    await thread.request('thread/backgroundTerminals/clean', {})
  }

  /** Both the response to our request and a notification report it, in any order. */
  #noticeStart(params: unknown): void {
    this.#turnId ??= TurnStarted.safeParse(params).data?.turn.id
    this.#started.resolve()
  }

  #noticeError(params: unknown): void {
    const notice = ErrorNotice.safeParse(params).data
    if (!notice) return
    // Also sent for errors that are retried. The end of the turn shows whether it failed.
    if (notice.willRetry) this.course.emit({ type: 'retrying', message: notice.error.message })
    else this.#lastError = notice.error
  }

  #noticeEnd(params: unknown): void {
    const turn = TurnCompleted.safeParse(params).data?.turn
    if (!turn || (this.#turnId !== undefined && turn.id !== this.#turnId)) return
    if (turn.status === 'completed') return void this.course.complete()
    const details = turn.error ?? this.#lastError
    const message = `The program ended the turn on its own (${turn.status})`
    void this.course.stop(details ? errorOfTurn(details) : { kind: 'protocol', message })
  }
}

function textInput(text: string): object {
  return { type: 'text', text, text_elements: [] }
}
