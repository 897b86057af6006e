import type { Report } from '../../crash/report.ts'
import { isAccepted, type Outage } from '../lost-answers.ts'
import { checkRepeats, type RecordedRequests, type SentEvent } from './check-repeats.ts'
import type { Arrival, Receiver } from './receivers.ts'

/** All events that must have arrived: the sequences of each agent, in order. */
export type Expected = ReadonlyMap<string, readonly number[]>

/** What was recorded for a receiver, by event. */
export type Recorded = ReadonlyMap<string, RecordedRequests>

export interface WebhookFigures {
  readonly requests: number
  /** Events that never arrived. */
  readonly lost: number
  /** Events that arrived before an earlier one of their agent. */
  readonly outOfOrder: number
  /** Requests for an event whose answer could have been lost. */
  readonly repeated: number
  /** Requests for an event although its answer was recorded, or nothing was killed that could have lost it. */
  readonly doubled: number
  /** Events whose webhook-id changed, or that share one with another event. */
  readonly wrongIds: number
}

export function checkWebhooks(
  report: Report,
  { name, arrivals }: Receiver,
  expected: Expected,
  { recorded, outages }: { readonly recorded: Recorded; readonly outages: readonly Outage[] },
): WebhookFigures {
  const byAgent = Map.groupBy(arrivals, ({ agent }) => agent)
  const events = [...expected].flatMap(([agent, sequences]) => {
    const bySequence = Map.groupBy(byAgent.get(agent) ?? [], ({ sequence }) => sequence)
    return sequences.map((sequence): SentEvent => {
      const event = eventName(agent, sequence)
      return {
        name: event,
        arrivals: bySequence.get(sequence) ?? [],
        recorded: recorded.get(event) ?? { delivered: [], unanswered: [] },
      }
    })
  })
  const lost = events.filter(({ arrivals: times }) => !times.some(isAccepted)).map((event) => event.name)
  const unlogged = events.filter((event) => event.recorded.delivered.length === 0).map((event) => event.name)
  const early = [...expected.keys()].flatMap((agent) => findEarly(byAgent.get(agent) ?? []))
  const { repeated, problems: doubled } = checkRepeats(events, outages)
  const wrongIds = findWrongIds(events)
  const check = (fault: Parameters<Report['check']>[0], guarantee: string, problems: readonly string[]) =>
    report.check(fault, guarantee, events.length, problems)
  check('lost', `every event reached ${name}`, lost)
  check('lost', `every delivery to ${name} was recorded`, unlogged)
  check('wrong', `${name} got events in order`, early)
  check('doubled', `${name} got again only what it may`, doubled)
  check('wrong', `${name} got one id for each event`, wrongIds)
  return {
    requests: arrivals.length,
    lost: lost.length,
    outOfOrder: early.length,
    repeated,
    doubled: doubled.length,
    wrongIds: wrongIds.length,
  }
}

export function eventName(agent: string, sequence: number): string {
  return `${agent}#${sequence}`
}

/** Events of one agent that came for the first time after a later one had come. */
function findEarly(arrivals: readonly Arrival[]): string[] {
  const seen = new Set<number>()
  let newest = 0
  return arrivals.flatMap(({ agent, sequence }) => {
    const isEarly = !seen.has(sequence) && sequence < newest
    seen.add(sequence)
    newest = Math.max(newest, sequence)
    return isEarly ? [`${eventName(agent, sequence)} came after ${newest}`] : []
  })
}

function findWrongIds(events: readonly SentEvent[]): string[] {
  const owners = new Map<string, string>()
  return events.flatMap(({ name, arrivals }) => {
    const ids = new Set(arrivals.map(({ webhookId }) => webhookId))
    const foreign = [...ids].filter((id) => owners.has(id))
    for (const id of ids) owners.set(id, name)
    return [
      ...(ids.size > 1 ? [`${name} had ${ids.size} ids`] : []),
      ...foreign.map((id) => `${name} had the id of another event, ${id}`),
    ]
  })
}
