import { formatAgentName, type AgentId, type FleetEntry, type Skein } from '@skein/client'
import { agentKey } from '@skein/contract/facts'

export interface AgentNode {
  readonly name: string
  readonly entry: FleetEntry
  readonly children: readonly AgentNode[]
}

export interface TreeFilter {
  readonly includeTerminal?: boolean
  readonly account?: string
  /** Filters roots. Everything below a matching root is shown. */
  readonly labels?: Readonly<Record<string, string>>
  /** Only descendants of this agent. */
  readonly below?: string
}

export async function readTree(skein: Skein, filter: TreeFilter): Promise<AgentNode[]> {
  const entries: FleetEntry[] = []
  for await (const entry of skein.fleet(toFleetFilter(filter))) entries.push(entry)
  return buildTree(entries, filter)
}

/** The part of the filter the service applies. `buildTree` applies the rest. */
export function toFleetFilter({ includeTerminal = false, account, below }: TreeFilter) {
  return { includeTerminal, account, under: below }
}

/** Keeps the order of the entries. An agent whose parent is missing becomes a root. */
export function buildTree(entries: readonly FleetEntry[], { labels = {}, below }: TreeFilter): AgentNode[] {
  const shown = entries.filter(({ agentId }) => below === undefined || formatAgentName(agentId) !== below)
  const keys = new Set(shown.map(({ agentId }) => keyOf(agentId)))
  const childrenOf = Map.groupBy(shown, ({ agentId }) => {
    const parent = keyOf({ ...agentId, agent: agentId.agent.slice(0, -1) })
    return keys.has(parent) ? parent : ''
  })
  const toNodes = (parent: string): AgentNode[] =>
    (childrenOf.get(parent) ?? []).map((entry) => ({
      name: formatAgentName(entry.agentId),
      entry,
      children: toNodes(keyOf(entry.agentId)),
    }))
  return toNodes('').filter(({ entry }) =>
    Object.entries(labels).every(([name, value]) => entry.labels[name] === value),
  )
}

/** Agents of different owners may have the same name. */
export function keyOf(agentId: AgentId): string {
  return agentKey(agentId, agentId.agent)
}

/** Parents before their children. */
export function flatten(nodes: readonly AgentNode[]): AgentNode[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)])
}
