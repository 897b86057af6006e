import type { Topic } from '@skein/contract/facts'
import { wantsTopic, type TopicFilter } from '../notifications/topics.ts'
import { wantsAgent, wantsEvent, type EventFilter, type FilteredAgent } from './event-filter.ts'

/** An integration that events may go to. */
export interface Destination {
  readonly name: string
  readonly filter: EventFilter
  /** Set if people are told: then topics decide, not the types of events. */
  readonly topics?: TopicFilter
}

/** Events that one command added to an agent's timeline: their types, in order and without gaps. */
export interface AgentEvents extends FilteredAgent {
  readonly agentId: string
  readonly firstSequence: bigint
  readonly types: readonly string[]
  /** What each of them would tell people. */
  readonly topics: readonly (Topic | undefined)[]
}

/** A range of an agent's timeline for one integration. It begins and ends with an event that is wanted. */
export interface EventRange {
  readonly integration: string
  readonly agentId: string
  readonly firstSequence: bigint
  readonly lastSequence: bigint
}

/** Which events go where: at most one range for each agent and integration. */
export function routeChanges(
  destinations: readonly Destination[],
  changes: readonly AgentEvents[],
): EventRange[] {
  const ranges = new Map<string, EventRange>()
  for (const destination of destinations) {
    const { name } = destination
    for (const change of changes) {
      const found = wantedRange(destination, change)
      if (!found) continue
      const key = `${name}/${change.agentId}`
      const known = ranges.get(key)
      // Changes come in the order of their transactions, which need not be that of their events.
      ranges.set(key, {
        integration: name,
        agentId: change.agentId,
        firstSequence: known && known.firstSequence < found.first ? known.firstSequence : found.first,
        lastSequence: known && known.lastSequence > found.last ? known.lastSequence : found.last,
      })
    }
  }
  return [...ranges.values()]
}

function wantedRange(
  { filter, topics: wanted }: Destination,
  change: AgentEvents,
): { readonly first: bigint; readonly last: bigint } | undefined {
  const { types, topics, identity, firstSequence } = change
  const isWanted = wanted
    ? (_: string, index: number) => wantsTopic(wanted, topics[index], identity.path)
    : (type: string) => wantsEvent(filter, type)
  const first = types.findIndex(isWanted)
  if (first === -1 || !wantsAgent(filter, change)) return undefined
  return {
    first: firstSequence + BigInt(first),
    last: firstSequence + BigInt(types.findLastIndex(isWanted)),
  }
}
