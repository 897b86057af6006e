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
  /** Reported with this turn. */
  readonly warnings: readonly string[]
  /** Ends the program, which can no longer be trusted. Resolves when nothing of it is left. */
  readonly abandon: (reason: TurnError) => Promise<void>
}

type InitMessage = Extract<SDKMessage, { type: 'system'; subtype: 'init' }>

/** One of our turns. It takes several of the program's if it is steered late or asked to correct its answer. */
export class ClaudeTurn implements Turn {
  readonly #record: TurnRecord
  readonly #context: TurnContext
  readonly #events = new MessageEvents()
  /** Messages the program has not added to the conversation yet. */
  readonly #unread = new Set<string>()
  #connection: ClaudeConnection | undefined
  #isStarted = false
  #cause: SDKAssistantMessageError | undefined
  /** How the turn will end once the program has stopped. */
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

  /** Not enforced: the caller decides whether to kill a program that doesn't stop. */
  async interrupt(): Promise<void> {
    this.#stop({ status: 'interrupted' })
  }

  async steer(text: string): Promise<boolean> {
    await this.#context.opening
    if (this.#record.isOver || this.#plannedEnd || this.#isChecking || !this.#connection) return false
    this.#unread.add(this.#connection.send(text))
    return true
  }

  /** Processes a message from the program. */
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

  /** The program exited unexpectedly. */
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
    // The program sends this message for every prompt.
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
    // Absent if the program could not even start.
    const wasRead = result.user_message_uuids ?? [...this.#unread]
    for (const uuid of wasRead) this.#unread.delete(uuid)
    const error = findError(result, this.#cause)
    if (this.#plannedEnd && (error || this.#plannedEnd.status === 'failed' || this.#unread.size > 0)) {
      // After an interrupt the process can be reused, unless an unread message would start another turn.
      const isClean = this.#plannedEnd.status === 'interrupted' && this.#unread.size === 0
      if (isClean) this.#end(this.#plannedEnd)
      else this.#endByForce(this.#plannedEnd)
      return
    }
    if (error) return this.#giveUp({ status: 'failed', error }, error)
    // A message sent at the last moment starts another turn of the program.
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
    // The program doesn't know about the turn yet, so it can be reused, unless it was too slow to start.
    if (!this.#connection) return end.status === 'failed' ? this.#endByForce(end) : this.#end(end)
    this.#connection.interrupt()
  }

  /** A program that was already asked to stop and is still running is not asked again. */
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

  /** The result means that the turn is over, so nothing of it may still be running by then. */
  #giveUp(end: TurnEnd, reason: TurnError): void {
    this.#plannedEnd = end
    // Not awaited: this runs in the reader of the program's output, and the program's end waits for the reader.
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
