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

/**
 * Nothing of a program should still be running once its turn has a result. But a process that cannot be killed must
 * not delay the result forever.
 */
const KILL_PATIENCE_MS = 5_000

export interface OpenSession {
  /** Undefined if the program names it only with its first turn. Then the driver reports it. */
  readonly session: SessionRef | undefined
  readonly model: string
}

/** What a program does for a turn, in its open session. */
export interface TurnDriver<Session extends OpenSession> {
  /** Makes the program execute this. The program reports progress to the course. */
  begin(session: Session, text: string): Promise<void>
  /** Asks the program to stop. The driver reports when it has. */
  cancel(session: Session): Promise<void>
  /** Ends what the program leaves running when it stops. */
  cleanUp(session: Session): Promise<void>
}

export interface OutputRule {
  readonly check: OutputCheck
  /** For the prompt; absent if the provider gets the schema another way. */
  readonly told?: Readonly<Record<string, unknown>>
  /** The prompt that asks for a corrected answer; absent for the usual one. */
  readonly askAgain?: (problem: string) => string
}

export interface TurnContext<Session extends OpenSession> {
  /** Never rejects. */
  readonly opening: Promise<Session | TurnError>
  readonly output: OutputRule | undefined
  readonly hideSecrets: HideSecrets
  /** Ends the program, which can no longer be trusted. Resolves when nothing of it is left. */
  readonly abandon: () => Promise<void>
}

/**
 * A turn from its prompt to its end, the same for every program. If an answer doesn't match the schema, it is
 * corrected once within the same turn.
 */
export class TurnCourse<Session extends OpenSession> {
  readonly record: TurnRecord
  readonly #context: TurnContext<Session>
  readonly #driver: TurnDriver<Session>
  #session: Session | undefined
  /** How the turn will end once the program has stopped. */
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

  /** The session, while it still accepts messages. */
  get openSession(): Session | undefined {
    return this.record.isOver || this.#plannedEnd || this.#isChecking ? undefined : this.#session
  }

  emit(event: TurnEvent): void {
    this.record.emit(event)
  }

  /** Whether the program was asked to stop. */
  get isStopping(): boolean {
    return this.#plannedEnd !== undefined
  }

  /** The program has finished. `value` is its answer, where it is more than the text. */
  async complete(value?: unknown): Promise<void> {
    const { output } = this.#context
    if (!output) return this.record.end({ status: 'completed', output: undefined })
    this.#isChecking = true
    const { check } = output
    const verdict = await (value === undefined ? check.checkText(this.record.text) : check.checkValue(value))
    this.#isChecking = false
    if (verdict.isValid) return this.record.end({ status: 'completed', output: verdict.output })
    if (this.#plannedEnd) return this.record.end(this.#plannedEnd)
    if (this.#wasAskedAgain || !this.#session) {
      const message = `The answer does not match the output schema. ${verdict.problem}`
      return this.fail({ kind: 'output-invalid', message })
    }
    if (this.record.isOver) return
    this.#wasAskedAgain = true
    await this.#begin(this.#session, (output.askAgain ?? askAgain)(verdict.problem))
  }

  /** The program has stopped without an answer. `isSpent` if it cannot execute another turn. */
  async stop(otherwise: TurnError, isSpent = false): Promise<void> {
    if (this.#plannedEnd && this.#session) await this.#driver.cleanUp(this.#session).catch(() => undefined)
    const end = this.#plannedEnd ?? { status: 'failed', error: otherwise }
    return this.#isDoubtful || isSpent ? this.#endByForce(end) : this.record.end(end)
  }

  fail(error: TurnError): void {
    this.record.end(this.#plannedEnd ?? { status: 'failed', error })
  }

  kill(): void {
    this.record.end({ status: 'killed' })
  }

  /** Not enforced: the caller decides whether to kill a program that doesn't stop. */
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
    if (session) this.record.emit({ type: 'started', session, model })
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
    // Nothing has been sent to the program yet.
    if (this.#isDoubtful) void this.#endByForce(end)
    else this.record.end(end)
  }

  async #endByForce(end: TurnEnd): Promise<void> {
    // The program's exit must not be reported as the reason.
    this.#plannedEnd = end
    await Promise.race([this.#context.abandon(), pause(KILL_PATIENCE_MS, undefined, { ref: false })])
    this.record.end(end)
  }

  /** Stops first, so that the transcript contains what was done. A program that was too slow is not reused. */
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
