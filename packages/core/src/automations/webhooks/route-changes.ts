import { wantsAgent, wantsEvent, type EventFilter, type FilteredAgent } from './event-filter.ts'

/** An integration that events may go to. */
export interface Destination {
  readonly name: string
  readonly filter: EventFilter
}

/** Events that one command added to an agent's timeline: their types, in order and without gaps. */
export interface AgentEvents extends FilteredAgent {
  readonly agentId: string
  readonly firstSequence: bigint
  readonly types: readonly string[]
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
  for (const { name, filter } of destinations) {
    for (const change of changes) {
      const found = wantedRange(filter, change)
      if (!found) continue
      const key = `${name}/${change.agentId}`
      const firstSequence = ranges.get(key)?.firstSequence ?? found.first
      ranges.set(key, {
        integration: name,
        agentId: change.agentId,
        firstSequence,
        lastSequence: found.last,
      })
    }
  }
  return [...ranges.values()]
}

function wantedRange(
  filter: EventFilter,
  change: AgentEvents,
): { readonly first: bigint; readonly last: bigint } | undefined {
  const isWanted = (type: string) => wantsEvent(filter, type)
  const first = change.types.findIndex(isWanted)
  if (first === -1 || !wantsAgent(filter, change)) return undefined
  return {
    first: change.firstSequence + BigInt(first),
    last: change.firstSequence + BigInt(change.types.findLastIndex(isWanted)),
  }
}
