import { setTimeout as pause } from 'node:timers/promises'
import {
  LIMIT_PATIENCE_MS,
  type HideSecrets,
  type SessionRef,
  type TurnError,
  type TurnEvent,
  type TurnRequest,
} from '../backend.ts'
import { askAgain, askForOutput, type OutputCheck } from './output-check.ts'
import { TurnRecord, type TurnEnd } from './turn-record.ts'

/** A process that cannot even be killed must not keep the result back. */
const KILL_PATIENCE_MS = 500

export interface OpenSession {
  readonly session: SessionRef
  readonly model: string
}

/** What a program does for a turn, in the session that it has open. */
export interface TurnDriver<Session extends OpenSession> {
  /** Has the program execute this. How it goes is for the course to be told. */
  begin(session: Session, text: string): Promise<void>
  /** Asks the program to stop. The course has to be told when it has. */
  cancel(session: Session): Promise<void>
  /** Ends what the program leaves running when it stops. */
  cleanUp(session: Session): Promise<void>
}

export interface OutputRule {
  readonly check: OutputCheck
  /** For the prompt; absent when the provider is told by other means. */
  readonly told?: Readonly<Record<string, unknown>>
}

export interface TurnContext<Session extends OpenSession> {
  /** Never rejects. */
  readonly opening: Promise<Session | TurnError>
  readonly output: OutputRule | undefined
  readonly hideSecrets: HideSecrets
  /** Ends the program, which is not to be trusted any more. Resolves when nothing of it is left. */
  readonly abandon: () => Promise<void>
}

/**
 * The way of a turn from its prompt to its end, the same for every program that is asked to execute something and to
 * stop. An answer that does not match the schema is asked for once more, as a part of the same turn.
 */
export class TurnCourse<Session extends OpenSession> {
  readonly record: TurnRecord
  readonly #context: TurnContext<Session>
  readonly #driver: TurnDriver<Session>
  #session: Session | undefined
  /** How the turn ends once the program has stopped. */
  #plannedEnd: TurnEnd | undefined
  #isDoubtful = false
  #wasAskedAgain = false
  #isChecking = false

  constructor(request: TurnRequest, context: TurnContext<Session>, driver: TurnDriver<Session>) {
    this.#context = context
    this.#driver = driver
    this.record = new TurnRecord(request.limits, (error) => void this.#giveUp(error), context.hideSecrets)
    void this.#run(request.prompt)
  }

  /** The session, while it can still take something in. */
  get openSession(): Session | undefined {
    return this.record.isOver || this.#plannedEnd || this.#isChecking ? undefined : this.#session
  }

  emit(event: TurnEvent): void {
    this.record.emit(event)
  }

  /** The program is done with what it was asked for. */
  async complete(): Promise<void> {
    const { output } = this.#context
    if (!output) return this.record.end({ status: 'completed', output: undefined })
    this.#isChecking = true
    const verdict = await output.check.checkText(this.record.text)
    this.#isChecking = false
    if (verdict.isValid) return this.record.end({ status: 'completed', output: verdict.output })
    if (this.#plannedEnd) return this.record.end(this.#plannedEnd)
    if (this.#wasAskedAgain || !this.#session) {
      const message = `The answer does not match the output schema. ${verdict.problem}`
      return this.fail({ kind: 'output-invalid', message })
    }
    if (this.record.isOver) return
    this.#wasAskedAgain = true
    await this.#begin(this.#session, askAgain(verdict.problem))
  }

  /** The program has ended what it was doing, without an answer. */
  async stop(otherwise: TurnError): Promise<void> {
    if (!this.#plannedEnd) return this.fail(otherwise)
    if (this.#session) await this.#driver.cleanUp(this.#session).catch(() => undefined)
    return this.#isDoubtful ? this.#endByForce(this.#plannedEnd) : this.record.end(this.#plannedEnd)
  }

  fail(error: TurnError): void {
    this.record.end(this.#plannedEnd ?? { status: 'failed', error })
  }

  kill(): void {
    this.record.end({ status: 'killed' })
  }

  /** No force follows: the caller decides whether a program that does not stop is killed. */
  async interrupt(): Promise<void> {
    this.#cancel({ status: 'interrupted' })
  }

  async #run(prompt: string): Promise<void> {
    const { opening, output } = this.#context
    const opened = await opening
    if (this.record.isOver) return
    if ('kind' in opened) return this.fail(opened)
    this.#session = opened
    const { session, model } = opened
    this.record.emit({ type: 'started', session, model })
    await this.#begin(opened, output?.told ? `${prompt}\n\n${askForOutput(output.told)}` : prompt)
  }

  async #begin(session: Session, text: string): Promise<void> {
    try {
      await this.#driver.begin(session, text)
    } catch (error) {
      this.fail({ kind: 'protocol', message: error instanceof Error ? error.message : String(error) })
    }
  }

  /** Asks the program to stop. */
  #cancel(end: TurnEnd): void {
    if (this.#plannedEnd || this.record.isOver) return
    this.#plannedEnd = end
    const session = this.#session
    // It may have ended in the meantime.
    if (session) return void this.#driver.cancel(session).catch(() => undefined)
    // Nothing has been asked of the program yet.
    if (this.#isDoubtful) void this.#endByForce(end)
    else this.record.end(end)
  }

  async #endByForce(end: TurnEnd): Promise<void> {
    await Promise.race([this.#context.abandon(), pause(KILL_PATIENCE_MS, undefined, { ref: false })])
    this.record.end(end)
  }

  /** Stops first, so that the transcript holds what was done. A program that was too slow is not used again. */
  async #giveUp(error: TurnError): Promise<void> {
    this.#isDoubtful = true
    if (this.#plannedEnd) return this.#endByForce(this.#plannedEnd)
    const end: TurnEnd = { status: 'failed', error }
    const patience = setTimeout(() => void this.#endByForce(end), LIMIT_PATIENCE_MS)
    this.#cancel(end)
    await this.record.result
    clearTimeout(patience)
  }
}
