import type { Report } from '../../crash/report.ts'
import type { Arrival, Receiver } from './receivers.ts'

/** All events that must have arrived: the sequences of each agent, in order. */
export type Expected = ReadonlyMap<string, readonly number[]>

export interface WebhookFigures {
  requests: number
  /** Events that never arrived. */
  lost: number
  /** Events that arrived before an earlier one of their agent. */
  outOfOrder: number
  /** Requests for an event whose answer could have been lost. */
  repeated: number
  /** Requests for an event although its answer arrived, and nothing was killed. */
  doubled: number
  /** Events whose webhook-id changed, or that share one with another event. */
  wrongIds: number
}

/** A holder sends this many events at once, so a kill can lose the answers to no more. */
const LANES = 8
/** A kill explains a lost answer if it came this soon after it. */
const RECORDED_WITHIN_MS = 2_000

export function checkWebhooks(
  report: Report,
  receiver: Receiver,
  expected: Expected,
  killedAt: readonly number[],
): WebhookFigures {
  const figures = {
    requests: receiver.arrivals.length,
    lost: 0,
    outOfOrder: 0,
    repeated: 0,
    doubled: 0,
    wrongIds: 0,
  }
  const excused = new Map<number, number>()
  const owners = new Map<string, string>()
  const byAgent = Map.groupBy(receiver.arrivals, ({ agent }) => agent)
  for (const [agent, sequences] of expected) {
    const arrivals = byAgent.get(agent) ?? []
    const bySequence = Map.groupBy(arrivals, ({ sequence }) => sequence)
    let newest = 0
    for (const { sequence } of arrivals) {
      if (!bySequence.has(sequence) || sequence >= newest) newest = Math.max(newest, sequence)
      else if (isFirst(bySequence, sequence, arrivals, newest)) figures.outOfOrder++
    }
    for (const sequence of sequences) {
      const times = bySequence.get(sequence) ?? []
      if (!times.some(({ status }) => status >= 200 && status < 300)) figures.lost++
      const ids = new Set(times.map(({ webhookId }) => webhookId))
      if (ids.size > 1) figures.wrongIds++
      for (const id of ids) {
        const owner = `${agent}#${sequence}`
        if ((owners.get(id) ?? owner) !== owner) figures.wrongIds++
        owners.set(id, owner)
      }
      countRepeats(times, figures, killedAt, excused)
    }
  }
  const { name } = receiver
  const total = [...expected.values()].reduce((sum, { length }) => sum + length, 0)
  const tell = (times: number, what: string): string[] =>
    Array.from({ length: times }, () => `${name}: ${what}`)
  report.check('lost', `every event reached ${name}`, total, tell(figures.lost, 'lost'))
  report.check('wrong', `${name} got events in order`, total, tell(figures.outOfOrder, 'too early'))
  report.check('doubled', `${name} got again only what it may`, total, tell(figures.doubled, 'again'))
  report.check('wrong', `${name} got one id for each event`, total, tell(figures.wrongIds, 'wrong id'))
  return figures
}

/** Whether an event came for the first time after a later one had already come. */
function isFirst(
  bySequence: ReadonlyMap<number, readonly Arrival[]>,
  sequence: number,
  arrivals: readonly Arrival[],
  newest: number,
): boolean {
  const first = bySequence.get(sequence)?.[0]
  const later = arrivals.find((arrival) => arrival.sequence === newest)
  return first !== undefined && later !== undefined && arrivals.indexOf(first) > arrivals.indexOf(later)
}

function countRepeats(
  times: readonly Arrival[],
  figures: WebhookFigures,
  killedAt: readonly number[],
  excused: Map<number, number>,
): void {
  for (const [index, arrival] of times.entries()) {
    const next = times[index + 1]
    if (!next) return
    const isAnswered = arrival.status >= 200 && arrival.status < 300 && arrival.answeredAt !== undefined
    if (!isAnswered || hasExcuse(arrival.answeredAt ?? 0, killedAt, excused)) figures.repeated++
    else figures.doubled++
  }
}

/** Each kill excuses only as many lost answers as it can have caused. */
function hasExcuse(answeredAt: number, killedAt: readonly number[], excused: Map<number, number>): boolean {
  const kill = killedAt.find(
    (at) =>
      at >= answeredAt - RECORDED_WITHIN_MS &&
      at <= answeredAt + RECORDED_WITHIN_MS &&
      (excused.get(at) ?? 0) < LANES,
  )
  if (kill === undefined) return false
  excused.set(kill, (excused.get(kill) ?? 0) + 1)
  return true
}
