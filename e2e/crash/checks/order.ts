import type { Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { messageName, type Evidence } from './evidence.ts'

interface Arrival {
  readonly runId: bigint
  readonly index: number
  readonly at: number
}

/** Uses only what clients and runners saw, by the clock they share, and not the service's own records. */
export function checkOrder(report: Report, evidence: Evidence): void {
  const arrivals = firstArrivals(evidence)
  const queued = acknowledgedAs(evidence.log, 'queue')
  const plain = [
    ...acknowledgedAs(evidence.log, 'spawn'),
    ...queued.filter(({ deliverAt }) => deliverAt === undefined),
  ].flatMap((sent) => {
    const arrival = arrivals.get(messageName(sent.path, sent.followUpId))
    return arrival ? [{ ...sent, arrival }] : []
  })
  report.check(
    'wrong',
    'a message that was sent after another was answered arrives after it',
    plain.length,
    [...Map.groupBy(plain, ({ path }) => path).values()].flatMap((messages) =>
      messages.flatMap((earlier) =>
        messages
          .filter((later) => earlier.answeredAt < later.sentAt && isBefore(later.arrival, earlier.arrival))
          .map((later) => `${later.followUpId} before ${earlier.followUpId} for ${later.path}`),
      ),
    ),
  )
  const deferred = queued.flatMap(({ path, followUpId, deliverAt }) => {
    const arrival = arrivals.get(messageName(path, followUpId))
    return arrival && deliverAt !== undefined ? [{ followUpId, deliverAt, arrival }] : []
  })
  report.check(
    'wrong',
    'no deferred message arrived before its time',
    deferred.length,
    deferred
      .filter(({ arrival, deliverAt }) => arrival.at < deliverAt)
      .map(({ followUpId, deliverAt, arrival }) => `${followUpId}: ${deliverAt - arrival.at} ms early`),
  )
}

function isBefore(left: Arrival, right: Arrival): boolean {
  return left.runId === right.runId ? left.index < right.index : left.runId < right.runId
}

function firstArrivals({ attempts }: Evidence): Map<string, Arrival> {
  const found = new Map<string, Arrival>()
  for (const { path, runId, startedAt: at, messages } of attempts) {
    for (const [index, { followUpId }] of messages.entries()) {
      const name = messageName(path, followUpId)
      const before = found.get(name)
      if (!before || at < before.at) found.set(name, { runId: BigInt(runId), index, at })
    }
  }
  return found
}
