import type { SDKAssistantMessageError, SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import {
  LIMIT_PATIENCE_MS,
  type ProgramSetup,
  type SessionRef,
  type Turn,
  type TurnError,
  type TurnRequest,
} from '../backend.ts'
import type { OutputCheck } from '../turn/output-check.ts'
import { TurnRecord, type TurnEnd } from '../turn/turn-record.ts'
import type { ClaudeConnection } from './claude-connection.ts'
import { MessageEvents, OUTPUT_TOOL } from './message-events.ts'
import { BACKEND_NAME } from './program-options.ts'
import { findError } from './result-error.ts'
import { findTranscript } from './transcript.ts'

interface TurnContext {
  readonly setup: ProgramSetup
  /** Never rejects. */
  readonly opening: Promise<ClaudeConnection | TurnError>
  readonly output: () => OutputCheck | undefined
  /** To be told with this turn. */
  readonly warnings: readonly string[]
  /** Ends the program, which is not to be trusted any more. Resolves when nothing of it is left. */
  readonly abandon: (reason: TurnError) => Promise<void>
}

type InitMessage = Extract<SDKMessage, { type: 'system'; subtype: 'init' }>

/** One turn of ours: several of the program's when something is said to it late, or asked again. */
export class ClaudeTurn implements Turn {
  readonly #record: TurnRecord
  readonly #context: TurnContext
  readonly #events = new MessageEvents()
  /** Messages that the program has not worked into the conversation yet. */
  readonly #unread = new Set<string>()
  #connection: ClaudeConnection | undefined
  #isStarted = false
  #cause: SDKAssistantMessageError | undefined
  /** How the turn ends once the program has stopped. */
  #plannedEnd: TurnEnd | undefined
  #patience: NodeJS.Timeout | undefined
  #wasAskedAgain = false
  #isChecking = false

  constructor({ prompt, limits }: TurnRequest, context: TurnContext) {
    this.#context = context
    const onLimit = (error: TurnError): void => this.#stopAtLimit({ status: 'failed', error })
    this.#record = new TurnRecord(limits, onLimit, context.setup.hideSecrets)
    void this.#begin(prompt)
  }

  get events(): Turn['events'] {
    return this.#record.events
  }

  get result(): Turn['result'] {
    return this.#record.result
  }

  get isOver(): boolean {
    return this.#record.isOver
  }

  /** No force follows: the caller decides whether a program that does not stop is killed. */
  async interrupt(): Promise<void> {
    this.#stop({ status: 'interrupted' })
  }

  async steer(text: string): Promise<boolean> {
    await this.#context.opening
    if (this.#record.isOver || this.#plannedEnd || this.#isChecking || !this.#connection) return false
    this.#unread.add(this.#connection.send(text))
    return true
  }

  /** Takes in what the program tells. */
  async notice(message: SDKMessage): Promise<void> {
    if (this.#record.isOver || !this.#connection) return
    this.#record.touch()
    switch (message.type) {
      case 'system':
        if (message.subtype === 'init') await this.#noticeInit(message, this.#connection)
        else if (message.subtype === 'api_retry') {
          const why = message.error_status === null ? 'a broken connection' : `status ${message.error_status}`
          this.#record.emit({ type: 'retrying', message: `Asking again after ${why} (${message.attempt})` })
        }
        return
      case 'assistant':
        this.#cause = message.error ?? this.#cause
        for (const event of this.#events.readAssistant(message)) this.#record.emit(event)
        return
      case 'user':
        for (const event of this.#events.readUser(message)) this.#record.emit(event)
        return
      case 'result':
        return this.#noticeResult(message)
      default:
        return
    }
  }

  /** The program has ended without being asked to. */
  fail(error: TurnError): void {
    this.#end(this.#plannedEnd ?? { status: 'failed', error })
  }

  kill(): void {
    this.#end({ status: 'killed' })
  }

  async #begin(prompt: string): Promise<void> {
    const opened = await this.#context.opening
    if (this.#record.isOver) return
    if ('kind' in opened) return this.#end({ status: 'failed', error: opened })
    this.#connection = opened
    this.#unread.add(opened.send(prompt))
  }

  async #noticeInit(message: InitMessage, connection: ClaudeConnection): Promise<void> {
    const problem = connection.checkTools(message.mcp_servers)
    if (problem) return this.#giveUp({ status: 'failed', error: problem }, problem)
    // The program begins anew for everything that it is told.
    if (this.#isStarted) return
    this.#isStarted = true
    const session = await this.#findSession(message.session_id)
    this.#record.emit({ type: 'started', session, model: message.model })
    for (const warning of this.#context.warnings) this.#record.emit({ type: 'warning', message: warning })
  }

  async #findSession(id: string): Promise<SessionRef> {
    const { session, stateDir } = this.#context.setup
    const transcript = await findTranscript(stateDir, id)
    return { backend: BACKEND_NAME, id, transcript: transcript ?? session?.transcript ?? '' }
  }

  async #noticeResult(result: SDKResultMessage): Promise<void> {
    // Absent in the result of a program that could not even begin.
    const wasRead = result.user_message_uuids ?? [...this.#unread]
    for (const uuid of wasRead) this.#unread.delete(uuid)
    const error = findError(result, this.#cause)
    if (this.#plannedEnd && (error || this.#plannedEnd.status === 'failed' || this.#unread.size > 0)) {
      // After an interrupt the process is as good as before, unless something would begin another turn in it.
      const isClean = this.#plannedEnd.status === 'interrupted' && this.#unread.size === 0
      if (isClean) this.#end(this.#plannedEnd)
      else this.#endByForce(this.#plannedEnd)
      return
    }
    if (error) return this.#giveUp({ status: 'failed', error }, error)
    // What was said at the last moment begins a turn of the program's own.
    if (this.#unread.size === 0) await this.#complete(result)
  }

  async #complete(result: SDKResultMessage): Promise<void> {
    const check = this.#context.output()
    if (!check) return this.#end({ status: 'completed', output: undefined })
    const output = 'structured_output' in result ? result.structured_output : undefined
    this.#isChecking = true
    const checking = output === undefined ? check.checkText(this.#record.text) : check.checkValue(output)
    const verdict = await checking
    this.#isChecking = false
    if (verdict.isValid) return this.#end({ status: 'completed', output: verdict.output })
    if (this.#plannedEnd) return this.#end(this.#plannedEnd)
    if (this.#wasAskedAgain || !this.#connection) {
      const message = `The answer does not match the output schema. ${verdict.problem}`
      const error: TurnError = { kind: 'output-invalid', message }
      return this.#giveUp({ status: 'failed', error }, error)
    }
    if (this.#record.isOver) return
    this.#wasAskedAgain = true
    this.#unread.add(this.#connection.send(askAgain(verdict.problem)))
  }

  #stop(end: TurnEnd): void {
    if (this.#record.isOver || this.#plannedEnd) return
    this.#plannedEnd = end
    // The program knows nothing of the turn yet, so it is as good as before unless it is the one that is late.
    if (!this.#connection) return end.status === 'failed' ? this.#endByForce(end) : this.#end(end)
    this.#connection.interrupt()
  }

  /** A program that was asked to stop before its limit and still runs is not asked again. */
  #stopAtLimit(end: TurnEnd): void {
    if (this.#plannedEnd) return this.#endByForce(this.#plannedEnd)
    this.#stop(end)
    this.#patience = setTimeout(() => this.#endByForce(end), LIMIT_PATIENCE_MS)
  }

  #endByForce(end: TurnEnd): void {
    const reason: TurnError =
      end.status === 'failed' ? end.error : { kind: 'protocol', message: 'Claude did not stop when asked to' }
    this.#giveUp(end, reason)
  }

  /** The result says that the turn is over: nothing of it runs any more when it comes. */
  #giveUp(end: TurnEnd, reason: TurnError): void {
    this.#plannedEnd = end
    // Whoever reads what the program says must not wait here: the program's end waits for the reader.
    void this.#context.abandon(reason).then(() => this.#end(end))
  }

  #end(end: TurnEnd): void {
    clearTimeout(this.#patience)
    this.#record.end(end)
  }
}

function askAgain(problem: string): string {
  return [
    `Your answer has to be given with the tool ${OUTPUT_TOOL}, and to match its schema.`,
    problem,
    'Call it now with the corrected answer.',
  ].join('\n')
}
