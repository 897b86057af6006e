import { waitFor, type PostgresServer } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import { WORKSPACE, writeResource, type Installation } from '../installation.ts'
import { findLostAnswers, isAccepted, withoutKill, type Outage } from '../lost-answers.ts'
import { query } from '../query.ts'
import { TOLD } from '../schedules/planned-schedules.ts'
import type { MessageReceiver } from './message-receiver.ts'

export interface MessageFigures {
  /** Ends of agents that people are told about. */
  readonly told: number
  readonly messages: number
  /** Messages that came again, because they were refused or their answer was lost. */
  readonly repeated: number
}

/** The end of an agent, and in which messages it was recorded as told. */
interface Ending {
  readonly agent: string
  readonly messages: readonly string[]
}

/** Messages for people about the agents of schedules, grouped within a second. */
export class Messages {
  readonly #postgres: PostgresServer
  readonly #receiver: MessageReceiver
  #endings: readonly Ending[] = []
  /** When messages were sent that the service recorded to have got no answer to. */
  #unanswered: readonly Outage[] = []

  private constructor(postgres: PostgresServer, receiver: MessageReceiver) {
    this.#postgres = postgres
    this.#receiver = receiver
  }

  static async start({ api, postgres }: Installation, receiver: MessageReceiver): Promise<Messages> {
    const matching = { groupSeconds: 1, notify: ['finished'], labels: TOLD, workspaces: [WORKSPACE] }
    await writeResource(api, 'integration', receiver.integration, { ...receiver.document, ...matching })
    return new Messages(postgres, receiver)
  }

  /** Waits until everything was told, as far as it is. */
  async settle(restMs: number): Promise<void> {
    const { integration } = this.#receiver
    await waitFor(
      async () => {
        this.#endings = await readEndings(this.#postgres, integration)
        return this.#endings.every(({ messages }) => messages.length > 0)
      },
      { what: `all messages for ${integration}`, timeoutMs: restMs, intervalMs: 1_000 },
    ).catch(() => undefined)
    this.#unanswered = await readUnanswered(this.#postgres, integration)
  }

  check(report: Report, outages: readonly Outage[]): MessageFigures {
    const { integration, arrivals } = this.#receiver
    const endings = this.#endings
    const untold = endings.filter(({ messages }) => messages.length === 0)
    const told = endings.filter(({ messages }) => messages.length > 1)
    report.check(
      'lost',
      `${integration}: people are told about every end`,
      endings.length,
      untold.map(nameOf),
    )
    report.check(
      'doubled',
      `${integration}: people are told about every end once`,
      endings.length,
      told.map(nameOf),
    )
    const byMessage = [...Map.groupBy(arrivals, ({ message }) => message)]
    const recorded = new Set(endings.flatMap(({ messages }) => messages)).size
    const accepted = byMessage.filter(([, attempts]) => attempts.some(isAccepted)).length
    report.check(
      'wrong',
      `${integration}: a message that comes again is the same`,
      accepted,
      accepted === recorded ? [] : [`${accepted} were accepted, but ${recorded} messages recorded`],
    )
    const lost = byMessage.flatMap(([message, attempts]) => findLostAnswers(message, attempts, () => false))
    // A server sends one message at a time.
    const unexplained = withoutKill(lost, [...outages, ...this.#unanswered], 1)
    report.check(
      'doubled',
      `${integration}: a message comes again only if it may`,
      byMessage.length,
      unexplained,
    )
    return {
      told: endings.length,
      messages: byMessage.length,
      repeated: arrivals.length - byMessage.length - unexplained.length,
    }
  }
}

function nameOf({ agent }: Ending): string {
  return agent
}

function readEndings(postgres: PostgresServer, integration: string): Promise<Ending[]> {
  return query<{ agent: string; messages: string[] }>(
    postgres,
    `select a.state -> 'identity' -> 'path' ->> 0 as agent, array(
       select d.message_id::text from delivery d
       where d.agent_id = a.id and d.sequence = t.sequence and d.integration = '${integration}' and d.error = '') as messages
     from timeline t join agent a on a.id = t.agent_id
     where a.workspace = '${WORKSPACE}' and a.labels @> '${JSON.stringify(TOLD)}'
       and t.event ->> 'type' = 'agent.phase-changed' and t.event ->> 'to' = 'PHASE_COMPLETED'`,
  )
}

async function readUnanswered(postgres: PostgresServer, integration: string): Promise<Outage[]> {
  const rows = await query<{ at: Date }>(
    postgres,
    `select distinct message_id, created_at as at from delivery where integration = '${integration}' and status = 0`,
  )
  const times = rows.map(({ at }) => at.getTime() - performance.timeOrigin)
  return times.map((time) => ({ from: time, until: time }))
}
