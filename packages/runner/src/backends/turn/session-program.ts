import type { HideSecrets, Program, ProgramSetup, Turn, TurnError, TurnRequest } from '../backend.ts'
import { ProgramProcess } from './program-process.ts'
import type { ProgramTurn } from './program-turn.ts'
import type { OpenSession, OutputRule, TurnContext } from './turn-course.ts'

/** Applies even if the turn has no limits. */
const OPENING_PATIENCE_MS = 60_000

/** What differs between programs. */
export interface ProgramKind<Session extends OpenSession, Work extends ProgramTurn<Session>> {
  /** For people. */
  readonly name: string
  readonly output: OutputRule | undefined
  /** Starts the process, unless it was abandoned, and opens a session. */
  open(process: ProgramProcess, currentTurn: () => Work | undefined): Promise<Session | TurnError>
  /** Classifies an error thrown while opening. */
  errorOfOpening(cause: unknown): TurnError
  startTurn(request: TurnRequest, context: TurnContext<Session>): Work
}

/** A process in a sandbox that executes the turns of one session. */
export class SessionProgram<
  Session extends OpenSession,
  Work extends ProgramTurn<Session>,
> implements Program {
  readonly #kind: ProgramKind<Session, Work>
  readonly #hideSecrets: HideSecrets
  readonly #process: ProgramProcess
  readonly #opening: Promise<Session | TurnError>
  #turn: Work | undefined
  #closing: Promise<void> | undefined

  constructor(setup: ProgramSetup, kind: ProgramKind<Session, Work>) {
    this.#kind = kind
    this.#hideSecrets = setup.hideSecrets
    this.#process = new ProgramProcess(kind.name)
    void this.#process.ended.then((error) => this.#turn?.fail(error))
    this.#opening = this.#open()
  }

  get isAlive(): boolean {
    return this.#process.isAlive
  }

  startTurn(request: TurnRequest): Turn {
    const isBusy = this.#turn && !this.#turn.isOver
    const busy: TurnError = { kind: 'protocol', message: 'The program is busy with another turn' }
    const refusal = isBusy ? busy : this.#process.end
    const turn = this.#kind.startTurn(request, {
      opening: refusal ? Promise.resolve(refusal) : this.#opening,
      output: this.#kind.output,
      hideSecrets: this.#hideSecrets,
      abandon: () => this.#process.abandon({ kind: 'timeout', message: 'The program was abandoned' }),
    })
    if (this.#closing) turn.kill()
    if (!isBusy) this.#turn = turn
    return turn
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const gone = this.#process.abandon({ kind: 'crash', message: 'The program was closed' })
    // A process that is slow to exit must not delay the result.
    this.#turn?.kill()
    await gone
    await this.#opening
  }

  async #open(): Promise<Session | TurnError> {
    const message = `${this.#kind.name} was not ready in time`
    const giveUp = (): void => void this.#process.abandon({ kind: 'timeout', message })
    const patience = setTimeout(giveUp, OPENING_PATIENCE_MS)
    const opened = await this.#tryToOpen()
    clearTimeout(patience)
    // If the process was ended, that reason takes precedence.
    if ('kind' in opened) await this.#process.abandon(opened)
    return this.#process.end ?? opened
  }

  async #tryToOpen(): Promise<Session | TurnError> {
    try {
      const problem = await this.#kind.output?.check.findProblem()
      if (problem !== undefined) return { kind: 'bad-request', message: problem }
      return await this.#kind.open(this.#process, () => this.#turn)
    } catch (cause) {
      return this.#kind.errorOfOpening(cause)
    }
  }
}
