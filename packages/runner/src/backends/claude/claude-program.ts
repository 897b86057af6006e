import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { Program, ProgramSetup, Turn, TurnError, TurnRequest } from '../backend.ts'
import { OutputCheck } from '../turn/output-check.ts'
import type { OutputRule } from '../turn/turn-course.ts'
import { ClaudeConnection } from './claude-connection.ts'
import { ClaudeTurn } from './claude-turn.ts'
import type { ClaudeInstallation } from './installation.ts'
import { describeWithheld } from './program-environment.ts'
import { EFFORTS } from './program-options.ts'
import { OUTPUT_TOOL } from './message-events.ts'
import { findTranscript } from './transcript.ts'

/** Applies even if the turn has no limits. */
const OPENING_PATIENCE_MS = 60_000

/** Claude Code in a sandbox, with one conversation. */
export class ClaudeProgram implements Program {
  readonly #setup: ProgramSetup
  readonly #opening: Promise<ClaudeConnection | TurnError>
  readonly #output: OutputRule | undefined
  #connection: ClaudeConnection | undefined
  #turn: ClaudeTurn | undefined
  /** Why there is no program anymore. */
  #end: TurnError | undefined
  #closing: Promise<void> | undefined

  constructor(setup: ProgramSetup, load: () => Promise<ClaudeInstallation>) {
    this.#setup = setup
    this.#output = setup.outputSchema && {
      check: new OutputCheck(setup.outputSchema),
      askAgain: askForOutputTool,
    }
    this.#opening = this.#open(load)
  }

  get isAlive(): boolean {
    return this.#end === undefined
  }

  startTurn(request: TurnRequest): Turn {
    const isBusy = this.#turn && !this.#turn.isOver
    const busy: TurnError = { kind: 'protocol', message: 'The program is at work on another turn' }
    const refusal = isBusy ? busy : this.#end
    const { hideSecrets } = this.#setup
    const warnings = this.#turn ? [] : describeWithheld(this.#setup)
    const turn = new ClaudeTurn(
      request,
      { setup: this.#setup, warnings },
      {
        opening: refusal ? Promise.resolve(refusal) : this.#opening,
        output: this.#output,
        hideSecrets,
        abandon: () => this.#abandon({ kind: 'timeout', message: 'The program was given up' }),
      },
    )
    if (this.#closing) turn.kill()
    if (!isBusy) this.#turn = turn
    return turn
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const gone = this.#abandon({ kind: 'crash', message: 'The program was closed' })
    // A process that is slow to exit must not delay the result.
    this.#turn?.kill()
    await gone
    await this.#opening
    // It may have been starting.
    await this.#connection?.ended
  }

  /** Ends the process and everything it started. */
  async #abandon(reason: TurnError): Promise<void> {
    this.#end ??= reason
    this.#connection?.kill()
    await this.#connection?.ended
  }

  async #open(load: () => Promise<ClaudeInstallation>): Promise<ClaudeConnection | TurnError> {
    const late = { kind: 'timeout', message: 'Claude did not get ready in time' } as const
    const patience = setTimeout(() => void this.#abandon(late), OPENING_PATIENCE_MS)
    try {
      const problem = (await this.#findProblem()) ?? (await this.#connect(load))
      if (problem) await this.#abandon(problem)
    } finally {
      clearTimeout(patience)
    }
    return this.#end ?? this.#connection ?? { kind: 'crash', message: 'Claude was not started' }
  }

  /** Finds reasons not to start. */
  async #findProblem(): Promise<TurnError | undefined> {
    const { effort, session, stateDir } = this.#setup
    if (effort !== '' && !EFFORTS.some((known) => known === effort)) {
      return {
        kind: 'bad-request',
        message: `Claude has no effort "${effort}": choose ${EFFORTS.join(', ')}`,
      }
    }
    const schemaProblem = await this.#output?.check.findProblem()
    if (schemaProblem !== undefined) return { kind: 'bad-request', message: schemaProblem }
    if (session && !(await findTranscript(stateDir, session.id))) {
      return { kind: 'session-lost', message: `There is no transcript of session ${session.id}` }
    }
    return undefined
  }

  async #connect(load: () => Promise<ClaudeInstallation>): Promise<TurnError | undefined> {
    let installation: ClaudeInstallation
    try {
      installation = await load()
    } catch (error) {
      return { kind: 'program-missing', message: messageOf(error) }
    }
    // It may have been closed before it started.
    if (this.#end) return this.#end
    try {
      const connection = new ClaudeConnection(installation, this.#setup, (message) => this.#notice(message))
      this.#connection = connection
      void connection.ended.then((end) => this.#noticeEnd(end))
      return await connection.getReady()
    } catch (error) {
      // If the program has exited, its own reason is more specific than the SDK's.
      return (await this.#connection?.ended) ?? { kind: 'crash', message: messageOf(error) }
    }
  }

  async #notice(message: SDKMessage): Promise<void> {
    if (this.#connection) await this.#turn?.notice(message, this.#connection)
  }

  #noticeEnd(end: TurnError): void {
    this.#end ??= end
    this.#turn?.fail(this.#end)
  }
}

function askForOutputTool(problem: string): string {
  return [
    `Your answer has to be given with the tool ${OUTPUT_TOOL}, and to match its schema.`,
    problem,
    'Call it now with the corrected answer.',
  ].join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
