import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk'
import type { Turn, TurnError, TurnRequest } from '../backend.ts'
import { TurnCourse, type TurnContext } from '../turn/turn-course.ts'
import { errorOfAgent } from './acp-error.ts'
import type { AcpSession } from './acp-session.ts'
import { UpdateReader } from './acp-updates.ts'

const UNFINISHED: Readonly<Record<Exclude<StopReason, 'end_turn'>, TurnError>> = {
  max_tokens: { kind: 'context-length', message: 'The model has no room left for its answer' },
  max_turn_requests: { kind: 'bad-request', message: 'The agent has reached its own limit of requests' },
  refusal: { kind: 'refused', message: 'The agent refuses to go on' },
  cancelled: { kind: 'protocol', message: 'The agent ended the turn by itself' },
}

/** A turn of an agent that speaks the Agent Client Protocol. It cannot be steered. */
export class AcpTurn implements Turn {
  readonly #course: TurnCourse<AcpSession>
  readonly #updates = new UpdateReader((event) => this.#course.emit(event))

  constructor(request: TurnRequest, context: TurnContext<AcpSession>) {
    this.#course = new TurnCourse(request, context, {
      begin: async (session, text) => void this.#prompt(session, text),
      cancel: (session) => session.cancel(),
      cleanUp: async () => undefined,
    })
  }

  get events(): Turn['events'] {
    return this.#course.record.events
  }

  get result(): Turn['result'] {
    return this.#course.record.result
  }

  get isOver(): boolean {
    return this.#course.record.isOver
  }

  interrupt(): Promise<void> {
    return this.#course.interrupt()
  }

  async steer(): Promise<boolean> {
    return false
  }

  notice(update: SessionUpdate): void {
    this.#course.record.touch()
    this.#updates.read(update)
  }

  fail(error: TurnError): void {
    this.#updates.flush()
    this.#course.fail(error)
  }

  kill(): void {
    this.#course.kill()
  }

  async #prompt(session: AcpSession, text: string): Promise<void> {
    try {
      const reason = await session.prompt(text)
      this.#updates.flush()
      if (reason === 'end_turn') await this.#course.complete()
      else await this.#course.stop(UNFINISHED[reason])
    } catch (error) {
      // If the agent has exited, its end is reported elsewhere.
      if (!session.isConnected()) return
      this.#updates.flush()
      await this.#course.stop(errorOfAgent(error))
    }
  }
}
