import { waitFor, type PostgresServer, type Random } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import { WORKSPACE, writeResource, type Installation } from '../installation.ts'
import { findLostAnswers, isAccepted, withoutKill, type Outage } from '../lost-answers.ts'
import { query } from '../query.ts'
import { TOLD } from '../schedules/planned-schedules.ts'
import { Chat } from './chat.ts'

const CHAT = 'chat'

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
  readonly #chat: Chat
  #endings: readonly Ending[] = []
  /** When messages were sent that the service recorded to have got no answer to. */
  #unanswered: readonly Outage[] = []

  private constructor(postgres: PostgresServer, chat: Chat) {
    this.#postgres = postgres
    this.#chat = chat
  }

  static async start({ api, postgres }: Installation, random: Random): Promise<Messages> {
    const chat = await Chat.start(random)
    const document = { type: 'slack', url: chat.url, groupSeconds: 1, notify: ['finished'], labels: TOLD }
    await writeResource(api, 'integration', CHAT, { ...document, workspaces: [WORKSPACE] })
    return new Messages(postgres, chat)
  }

  /** Waits until everything was told, as far as it is. */
  async settle(restMs: number): Promise<void> {
    await waitFor(
      async () => {
        this.#endings = await readEndings(this.#postgres)
        return this.#endings.every(({ messages }) => messages.length > 0)
      },
      { what: 'all messages', timeoutMs: restMs, intervalMs: 1_000 },
    ).catch(() => undefined)
    this.#unanswered = await readUnanswered(this.#postgres)
  }

  check(report: Report, outages: readonly Outage[]): MessageFigures {
    const endings = this.#endings
    const untold = endings.filter(({ messages }) => messages.length === 0)
    const told = endings.filter(({ messages }) => messages.length > 1)
    report.check('lost', 'people are told about every end', endings.length, untold.map(nameOf))
    report.check('doubled', 'people are told about every end once', endings.length, told.map(nameOf))
    // Every text names other agents, so the same text is the same message.
    const byText = [...Map.groupBy(this.#chat.arrivals, ({ text }) => text)]
    const recorded = new Set(endings.flatMap(({ messages }) => messages)).size
    const accepted = byText.filter(([, arrivals]) => arrivals.some(isAccepted)).length
    report.check(
      'wrong',
      'a message that comes again is the same',
      accepted,
      accepted === recorded ? [] : [`${accepted} texts were accepted, but ${recorded} messages recorded`],
    )
    const lost = byText.flatMap(([text, arrivals]) => findLostAnswers(text, arrivals, () => false))
    // A server sends one message at a time.
    const unexplained = withoutKill(lost, [...outages, ...this.#unanswered], 1)
    report.check('doubled', 'a message comes again only if it may', byText.length, unexplained)
    return {
      told: endings.length,
      messages: byText.length,
      repeated: this.#chat.arrivals.length - byText.length - unexplained.length,
    }
  }

  close(): Promise<void> {
    return this.#chat.close()
  }
}

function nameOf({ agent }: Ending): string {
  return agent
}

function readEndings(postgres: PostgresServer): Promise<Ending[]> {
  return query<{ agent: string; messages: string[] }>(
    postgres,
    `select a.state -> 'identity' -> 'path' ->> 0 as agent, array(
       select d.message_id::text from delivery d
       where d.agent_id = a.id and d.sequence = t.sequence and d.integration = '${CHAT}' and d.error = '') as messages
     from timeline t join agent a on a.id = t.agent_id
     where a.workspace = '${WORKSPACE}' and a.labels @> '${JSON.stringify(TOLD)}'
       and t.event ->> 'type' = 'agent.phase-changed' and t.event ->> 'to' = 'PHASE_COMPLETED'`,
  )
}

async function readUnanswered(postgres: PostgresServer): Promise<Outage[]> {
  const rows = await query<{ at: Date }>(
    postgres,
    `select distinct message_id, created_at as at from delivery where integration = '${CHAT}' and status = 0`,
  )
  const times = rows.map(({ at }) => at.getTime() - performance.timeOrigin)
  return times.map((time) => ({ from: time, until: time }))
}
