import type { SDKAssistantMessageError, SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import type { ProgramSetup, SessionRef, TurnError, TurnRequest } from '../backend.ts'
import { ProgramTurn } from '../turn/program-turn.ts'
import type { TurnContext } from '../turn/turn-course.ts'
import type { ClaudeConnection } from './claude-connection.ts'
import { MessageEvents } from './message-events.ts'
import { BACKEND_NAME } from './program-options.ts'
import { findError } from './result-error.ts'
import { findTranscript } from './transcript.ts'

export interface ClaudeTurnSettings {
  readonly setup: ProgramSetup
  /** Reported with this turn. */
  readonly warnings: readonly string[]
}

type InitMessage = Extract<SDKMessage, { type: 'system'; subtype: 'init' }>

const STOPPED: TurnError = { kind: 'protocol', message: 'Claude ended the turn on its own' }

/** One of our turns. It takes several of the program's if it is steered late or asked to correct its answer. */
export class ClaudeTurn extends ProgramTurn<ClaudeConnection> {
  readonly #settings: ClaudeTurnSettings
  readonly #opening: TurnContext<ClaudeConnection>['opening']
  readonly #events = new MessageEvents()
  /** Messages the program has not added to the conversation yet. */
  readonly #unread = new Set<string>()
  #isStarted = false
  #cause: SDKAssistantMessageError | undefined

  constructor(request: TurnRequest, settings: ClaudeTurnSettings, context: TurnContext<ClaudeConnection>) {
    super(request, context)
    this.#settings = settings
    this.#opening = context.opening
  }

  override async steer(text: string): Promise<boolean> {
    await this.#opening
    const connection = this.course.openSession
    if (!connection) return false
    this.#unread.add(connection.send(text))
    return true
  }

  /** Processes a message from the program. */
  async notice(message: SDKMessage, connection: ClaudeConnection): Promise<void> {
    if (this.isOver) return
    this.course.record.touch()
    switch (message.type) {
      case 'system':
        if (message.subtype === 'init') await this.#noticeInit(message, connection)
        else if (message.subtype === 'api_retry') {
          const why = message.error_status === null ? 'a broken connection' : `status ${message.error_status}`
          this.course.emit({ type: 'retrying', message: `Retrying after ${why} (${message.attempt})` })
        }
        return
      case 'assistant':
        this.#cause = message.error ?? this.#cause
        for (const event of this.#events.readAssistant(message)) this.course.emit(event)
        return
      case 'user':
        for (const event of this.#events.readUser(message)) this.course.emit(event)
        return
      case 'result':
        return this.#noticeResult(message)
      default:
        return
    }
  }

  protected override async begin(connection: ClaudeConnection, text: string): Promise<void> {
    this.#unread.add(connection.send(text))
  }

  protected override async cancel(connection: ClaudeConnection): Promise<void> {
    connection.interrupt()
  }

  async #noticeInit(message: InitMessage, connection: ClaudeConnection): Promise<void> {
    const problem = connection.checkTools(message.mcp_servers)
    if (problem) return this.#stop(problem, true)
    // The program sends this message for every prompt.
    if (this.#isStarted) return
    this.#isStarted = true
    const session = await this.#findSession(message.session_id)
    this.course.emit({ type: 'started', session, model: message.model })
    for (const warning of this.#settings.warnings) this.course.emit({ type: 'warning', message: warning })
  }

  async #findSession(id: string): Promise<SessionRef> {
    const { session, stateDir } = this.#settings.setup
    const transcript = await findTranscript(stateDir, id)
    return { backend: BACKEND_NAME, id, transcript: transcript ?? session?.transcript ?? '' }
  }

  async #noticeResult(result: SDKResultMessage): Promise<void> {
    // Absent if the program could not even start.
    const wasRead = result.user_message_uuids ?? [...this.#unread]
    for (const uuid of wasRead) this.#unread.delete(uuid)
    const { isStopping } = this.course
    const error = findError(result, this.#cause)
    // After an interrupt the process can be reused, unless an unread message would start another turn.
    if (error) return this.#stop(error, !isStopping || this.#unread.size > 0)
    if (this.#unread.size === 0) {
      return this.course.complete('structured_output' in result ? result.structured_output : undefined)
    }
    // A message sent at the last moment starts another turn of the program.
    if (isStopping) this.#stop(STOPPED, true)
  }

  /** Not awaited: this runs in the reader of the program's output, and the program's end waits for the reader. */
  #stop(error: TurnError, isSpent: boolean): void {
    void this.course.stop(error, isSpent)
  }
}
