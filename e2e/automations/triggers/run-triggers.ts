import { setTimeout as pause } from 'node:timers/promises'
import { waitFor, type Random } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import { releaseHolds } from '../havoc.ts'
import { PROFILE, WORKSPACE, writeResource, type Installation } from '../installation.ts'
import { query } from '../query.ts'
import { readAgents, readMessages } from '../read-agents.ts'
import { checkTriggers, type Delivery, type TriggerFigures } from './check-triggers.ts'
import { KINDS, TriggerSender, type SentDelivery } from './trigger-sender.ts'

const TRIGGERS = 20
/** Of each trigger that has one agent for each ticket. */
const TICKETS = 3
const SEND_EVERY_MS = 300

/** Triggers, and those who send to them. Every other one starts an agent for each delivery, the rest one for each ticket. */
export class Triggers {
  readonly #installation: Installation
  readonly #random: Random
  readonly #senders: readonly TriggerSender[]
  readonly #sent: SentDelivery[] = []
  #unapplied: string[] = []

  private constructor(installation: Installation, random: Random, senders: readonly TriggerSender[]) {
    this.#installation = installation
    this.#random = random
    this.#senders = senders
  }

  static async start(installation: Installation, random: Random): Promise<Triggers> {
    const senders: TriggerSender[] = []
    for (let index = 0; index < TRIGGERS; index++) {
      const name = `hook-${index}`
      // Halved, so that each kind has triggers of both sorts.
      const kind = KINDS[Math.floor(index / 2) % KINDS.length] ?? 'bearer'
      const hasTickets = index % 2 === 1
      const { key } = await writeResource(installation.api, 'trigger', name, {
        verification: { type: kind },
        profile: PROFILE,
        workspace: WORKSPACE,
        limits: { perMinute: 600, agents: 1_000 },
        spawn: { description: 'Begin.' },
        ...(hasTickets && { send: { agent: `${name}-ticket-{{ body.ticket }}`, message: 'Go on.' } }),
      })
      senders.push(new TriggerSender(installation.urls, name, kind, String(key)))
    }
    return new Triggers(installation, random, senders)
  }

  async work(signal: AbortSignal): Promise<void> {
    const sending: Promise<unknown>[] = []
    while (!signal.aborted) {
      const sender = this.#random.pick(this.#senders)
      const ticket = this.#random.below(TICKETS)
      sending.push(sender.send({ ticket }).then((sent) => this.#sent.push(sent)))
      await pause(SEND_EVERY_MS)
    }
    await Promise.all(sending)
  }

  /** Waits until every delivery is applied, as far as it is. */
  async settle(restMs: number): Promise<void> {
    await waitFor(
      async () => {
        await releaseHolds(this.#installation)
        const rows = await query<{ name: string }>(
          this.#installation.postgres,
          `select trigger || ' ' || id as name from trigger_delivery where ended_at is null`,
        )
        this.#unapplied = rows.map(({ name }) => name)
        return rows.length === 0
      },
      { what: 'deliveries to be applied', timeoutMs: restMs, intervalMs: 700 },
    ).catch(() => undefined)
  }

  async check(report: Report): Promise<TriggerFigures> {
    const { postgres } = this.#installation
    report.check('stuck', 'every delivery is applied', this.#sent.length, this.#unapplied)
    const deliveries = await query<Delivery>(
      postgres,
      `select trigger, id, outcome, reason, agent, (extract(epoch from ended_at) * 1000)::float8 as "endedAt"
       from trigger_delivery order by trigger, number`,
    )
    return checkTriggers(report, {
      sent: this.#sent,
      deliveries,
      agents: await readAgents(postgres),
      messages: await readMessages(postgres),
    })
  }
}
