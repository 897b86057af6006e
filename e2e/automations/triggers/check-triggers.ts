import type { Report } from '../../crash/report.ts'
import type { StartedAgent } from '../read-agents.ts'
import type { SentDelivery } from './trigger-sender.ts'

/** A row of the log of deliveries. Those of a trigger are in the order of their arrival. */
export interface Delivery {
  readonly trigger: string
  readonly id: string
  readonly outcome: string
  readonly reason: string
  /** The name of the agent that it started or sent a message to. */
  readonly agent: string
  readonly endedAt: number | null
}

export interface TriggerEvidence {
  readonly sent: readonly SentDelivery[]
  readonly deliveries: readonly Delivery[]
  readonly agents: ReadonlyMap<string, StartedAgent>
  readonly messages: ReadonlyMap<string, number>
}

export interface TriggerFigures {
  readonly sent: number
  readonly spawned: number
  readonly messages: number
}

export function checkTriggers(report: Report, evidence: TriggerEvidence): TriggerFigures {
  const { sent, deliveries } = evidence
  checkRecorded(report, evidence)
  checkEffects(report, evidence)
  checkOrder(report, deliveries)
  const amountOf = (outcome: string) => deliveries.filter((delivery) => delivery.outcome === outcome).length
  return { sent: sent.length, spawned: amountOf('SPAWNED'), messages: amountOf('SENT') }
}

/** All copies of a delivery are one row, and there are no others. */
function checkRecorded(report: Report, { sent, deliveries }: TriggerEvidence): void {
  report.check(
    'wrong',
    'every copy of a delivery was accepted',
    sent.length,
    sent.flatMap(({ trigger, refused }) => refused.map((status) => `${trigger} answered ${status}`)),
  )
  report.check(
    'doubled',
    'all copies of a delivery have the same id',
    sent.length,
    sent.filter(({ ids }) => ids.length > 1).map(({ trigger, ids }) => `${trigger}: ${ids.join(', ')}`),
  )
  const recorded = new Set(deliveries.map(({ id }) => id))
  const answered = new Set(sent.flatMap(({ ids }) => ids))
  report.check(
    'lost',
    'every delivery that was accepted is recorded',
    answered.size,
    [...answered].filter((id) => !recorded.has(id)),
  )
  report.check(
    'doubled',
    'nothing is recorded that no sender knows',
    recorded.size,
    [...recorded].filter((id) => !answered.has(id)),
  )
}

/** Each delivery either started an agent or sent a message, once. */
function checkEffects(report: Report, { deliveries, agents, messages }: TriggerEvidence): void {
  const ended = deliveries.filter(({ endedAt }) => endedAt !== null)
  report.check(
    'wrong',
    'every delivery led to an agent or a message',
    ended.length,
    ended
      .filter(({ outcome }) => outcome !== 'SPAWNED' && outcome !== 'SENT')
      .map(({ trigger, outcome, reason }) => `${trigger}: ${outcome} ${reason}`),
  )
  const starts = Map.groupBy(
    ended.filter(({ outcome }) => outcome === 'SPAWNED'),
    ({ agent }) => agent,
  )
  const own = [...agents.values()].filter(({ name }) => name.startsWith('hook-'))
  report.check(
    'lost',
    'every agent that a delivery is said to have started is there',
    starts.size,
    [...starts].filter(([name, { length }]) => (agents.get(name)?.lives ?? 0) < length).map(([name]) => name),
  )
  report.check(
    'doubled',
    'one start for each delivery that started an agent',
    own.length,
    own
      .filter(({ name, lives }) => lives > (starts.get(name)?.length ?? 0))
      .map(({ name, lives }) => `${name}: ${lives} starts, ${starts.get(name)?.length ?? 0} deliveries`),
  )
  checkMessages(report, ended, messages)
}

function checkMessages(
  report: Report,
  ended: readonly Delivery[],
  messages: ReadonlyMap<string, number>,
): void {
  const wanted = new Set(
    ended.filter(({ outcome }) => outcome === 'SENT').map(({ trigger, id }) => `trigger:${trigger}:${id}`),
  )
  report.check(
    'lost',
    'every message that a delivery is said to have sent is there',
    wanted.size,
    [...wanted].filter((id) => !messages.has(id)),
  )
  const own = [...messages].filter(([id]) => id.startsWith('trigger:'))
  report.check(
    'doubled',
    'one message for each delivery that sent one',
    own.length,
    own.filter(([id, times]) => times !== 1 || !wanted.has(id)).map(([id, times]) => `${id}: ${times} times`),
  )
}

function checkOrder(report: Report, deliveries: readonly Delivery[]): void {
  const early: string[] = []
  let previous: Delivery | undefined
  for (const delivery of deliveries) {
    const isSame = previous?.trigger === delivery.trigger
    if (isSame && delivery.endedAt !== null && (previous?.endedAt ?? Infinity) > delivery.endedAt) {
      early.push(`${delivery.trigger}: ${delivery.id} before ${previous?.id}`)
    }
    previous = delivery
  }
  report.check('wrong', 'deliveries of a trigger are applied in order', deliveries.length, early)
}
