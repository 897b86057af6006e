import { setTimeout as pause } from 'node:timers/promises'
import { waitFor, type PostgresServer, type Random } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import type { Kills } from '../havoc.ts'
import { writeResource, type Installation } from '../installation.ts'
import { isAccepted } from '../lost-answers.ts'
import { query } from '../query.ts'
import {
  checkWebhooks,
  eventName,
  type Expected,
  type Recorded,
  type WebhookFigures,
} from './check-webhooks.ts'
import { commitLate } from './commit-late.ts'
import { emitEvents } from './emit-events.ts'
import { startReceivers, type Receiver } from './receivers.ts'

const MAX_OUTAGE_MS = 60_000
const RECOVERIES = 3
/** So that a retry does not have to be awaited for minutes. */
const HURRY_EVERY_MS = 2_000

/** Events on their way to three receivers. */
export class Webhooks {
  readonly #installation: Installation
  readonly #random: Random
  readonly #receivers: readonly Receiver[]
  #expected: Expected = new Map()
  /** By receiver. */
  #recorded: ReadonlyMap<string, Recorded> = new Map()

  private constructor(installation: Installation, random: Random, receivers: readonly Receiver[]) {
    this.#installation = installation
    this.#random = random
    this.#receivers = receivers
  }

  static async start(installation: Installation, random: Random): Promise<Webhooks> {
    const receivers = await startReceivers(random)
    for (const { name, url } of receivers) {
      const document = { url, events: ['agent.spawned', 'follow-up.*'], workspaces: ['default'] }
      await writeResource(installation.api, 'integration', name, document)
    }
    return new Webhooks(installation, random, receivers)
  }

  async work(signal: AbortSignal): Promise<void> {
    const { api, postgres } = this.#installation
    await Promise.all([
      emitEvents(api, this.#random, signal),
      hurryRetries(postgres, signal),
      commitLate(postgres, signal),
      failForAWhile(postgres, this.#receivers[0]),
    ])
  }

  /**
   * Waits until every event has arrived everywhere and its answer is recorded, as far as that happens. For as long as
   * something arrives: after many kills, more waits for the slow receiver than it takes in any fixed time.
   */
  async settle(restMs: number): Promise<void> {
    const { postgres } = this.#installation
    this.#expected = await readExpected(postgres)
    let arrived = -1
    while (arrived < this.#arrived) {
      arrived = this.#arrived
      await waitFor(() => this.#hasSettled(), {
        what: 'all events',
        timeoutMs: restMs,
        intervalMs: 1_000,
      }).catch(() => undefined)
    }
    // What is sent once too often would come soon.
    await pause(3_000)
    this.#recorded = await readRecorded(postgres)
  }

  get #arrived(): number {
    return this.#receivers.reduce((total, { arrivals }) => total + arrivals.length, 0)
  }

  async #hasSettled(): Promise<boolean> {
    const { postgres } = this.#installation
    await query(postgres, HURRY)
    if (!this.#receivers.every((receiver) => hasAll(receiver, this.#expected))) return false
    return (await query(postgres, 'select from lane limit 1')).length === 0
  }

  check(report: Report, kills: Kills): Record<string, WebhookFigures> {
    return Object.fromEntries(
      this.#receivers.map((receiver) => [
        receiver.name,
        checkWebhooks(report, receiver, this.#expected, {
          recorded: this.#recorded.get(receiver.name) ?? new Map<string, never>(),
          outages: kills.outages,
        }),
      ]),
    )
  }

  get events(): number {
    return [...this.#expected.values()].reduce((total, { length }) => total + length, 0)
  }

  async close(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()))
  }
}

/**
 * Long enough to open the circuit. Then, while the receiver recovers, most requests fail that were sent at once: enough to
 * open the circuit, which the last one closes again.
 */
async function failForAWhile(postgres: PostgresServer, receiver: Receiver | undefined): Promise<void> {
  if (!receiver) return
  await pause(3_000)
  receiver.state = 'down'
  // Not when it has failed often enough: the server that has seen it may be killed before it is recorded.
  const isOpen = async () =>
    (await query(postgres, `select from endpoint where integration = '${receiver.name}' and failures >= 5`))
      .length > 0
  await waitFor(isOpen, { what: 'the open circuit', timeoutMs: MAX_OUTAGE_MS }).catch(() => undefined)
  receiver.state = 'recovering'
  const hasRecovered = () => receiver.recoveries >= RECOVERIES
  await waitFor(hasRecovered, { what: 'recoveries', timeoutMs: MAX_OUTAGE_MS }).catch(() => undefined)
  receiver.state = 'up'
}

async function hurryRetries(postgres: PostgresServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(HURRY_EVERY_MS)
    await query(postgres, HURRY).catch(() => undefined)
  }
}

const HURRY = `
  update lane set due_at = now() where attempts > 0 and due_at > now();
  update endpoint e set due_at = now() where held_until < now() and due_at > now() and due_at < 'infinity' and failures < 5
    and exists (select from lane l where l.tenant_id = e.tenant_id and l.integration = e.integration);
  select 1 as done`

function hasAll({ arrivals }: Receiver, expected: Expected): boolean {
  const accepted = new Set(
    arrivals.filter(isAccepted).map(({ agent, sequence }) => eventName(agent, sequence)),
  )
  return [...expected].every(([agent, sequences]) =>
    sequences.every((sequence) => accepted.has(eventName(agent, sequence))),
  )
}

async function readExpected(postgres: PostgresServer): Promise<Expected> {
  const rows = await query<{ agent: string; sequences: string[] }>(
    postgres,
    `select a.state -> 'identity' -> 'path' ->> 0 as agent, array_agg(t.sequence order by t.sequence) as sequences
     from timeline t join agent a on a.id = t.agent_id
     where a.workspace = 'default'
       and (t.event ->> 'type' = 'agent.spawned' or t.event ->> 'type' like 'follow-up.%') group by 1`,
  )
  return new Map(rows.map(({ agent, sequences }) => [agent, sequences.map(Number)]))
}

/** As in the `webhook-timestamp`. */
const SECONDS = 'floor(extract(epoch from d.created_at))::int'

async function readRecorded(postgres: PostgresServer): Promise<ReadonlyMap<string, Recorded>> {
  const rows = await query<{
    integration: string
    agent: string
    sequence: string
    delivered: number[]
    unanswered: number[]
  }>(
    postgres,
    `select d.integration, a.state -> 'identity' -> 'path' ->> 0 as agent, d.sequence,
       array_remove(array_agg(case when d.error = '' then ${SECONDS} end), null) as delivered,
       array_remove(array_agg(case when d.status = 0 then ${SECONDS} end), null) as unanswered
     from delivery d join agent a on a.id = d.agent_id group by 1, 2, 3`,
  )
  const byReceiver = Map.groupBy(rows, ({ integration }) => integration)
  return new Map(
    [...byReceiver].map(([name, events]) => [
      name,
      new Map(events.map(({ agent, sequence, ...times }) => [eventName(agent, Number(sequence)), times])),
    ]),
  )
}
