import { formatAgentName, type FleetEntry } from '@skein/client'
import { agentKey } from '../format/agent-link.ts'

/** An agent in a list, with precomputed values for sorting and searching. */
export interface FleetItem {
  readonly key: string
  /** Empty for a root. */
  readonly parentKey: string
  /** `workspace/agent/child`. */
  readonly title: string
  readonly searchText: string
  readonly createMs: number
  readonly progressMs: number
  readonly tokens: number
  readonly entry: FleetEntry
}

export function toFleetItem(entry: FleetEntry): FleetItem {
  const { agentId } = entry
  const title = formatAgentName(agentId)
  return {
    key: agentKey(agentId),
    parentKey: agentId.agent.length > 1 ? agentKey({ ...agentId, agent: agentId.agent.slice(0, -1) }) : '',
    title,
    searchText: [
      title,
      agentId.account,
      entry.needsInput,
      entry.lastMessage,
      entry.description,
      entry.errorMessage,
      entry.persona,
      entry.model,
    ]
      .join('\n')
      .toLowerCase(),
    createMs: readMs(entry.createTime),
    progressMs: readMs(entry.progressAt),
    tokens: Number(entry.totalTokens),
    entry,
  }
}

function readMs(time: string): number {
  return time === '' ? 0 : Date.parse(time)
}
