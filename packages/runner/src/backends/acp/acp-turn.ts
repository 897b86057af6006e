import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk'
import type { TurnError } from '../backend.ts'
import { ProgramTurn } from '../turn/program-turn.ts'
import { errorOfAgent } from './acp-error.ts'
import type { AcpSession } from './acp-session.ts'
import { UpdateReader } from './acp-updates.ts'

const UNFINISHED: Readonly<Record<Exclude<StopReason, 'end_turn'>, TurnError>> = {
  max_tokens: { kind: 'context-length', message: 'The model has no tokens left for its answer' },
  max_turn_requests: { kind: 'bad-request', message: 'The agent has reached its own request limit' },
  refusal: { kind: 'refused', message: 'The agent refuses to continue' },
  cancelled: { kind: 'protocol', message: 'The agent ended the turn on its own' },
}

/** A turn of an agent that speaks the Agent Client Protocol. It cannot be steered. */
export class AcpTurn extends ProgramTurn<AcpSession> {
  readonly #updates = new UpdateReader((event) => this.course.emit(event))

  override async steer(): Promise<boolean> {
    return false
  }

  notice(update: SessionUpdate): void {
    this.course.record.touch()
    this.#updates.read(update)
  }

  override fail(error: TurnError): void {
    this.#updates.flush()
    super.fail(error)
  }

  protected override async begin(session: AcpSession, text: string): Promise<void> {
    void this.#prompt(session, text)
  }

  protected override cancel(session: AcpSession): Promise<void> {
    return session.cancel()
  }

  async #prompt(session: AcpSession, text: string): Promise<void> {
    try {
      const reason = await session.prompt(text)
      this.#updates.flush()
      if (reason === 'end_turn') await this.course.complete()
      else await this.course.stop(UNFINISHED[reason])
    } catch (error) {
      // If the agent has exited, its end is reported elsewhere.
      if (!session.isConnected()) return
      this.#updates.flush()
      await this.course.stop(errorOfAgent(error))
    }
  }
}
