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
  /** What a root must have; what is below it is shown whatever it has. */
  readonly labels?: Readonly<Record<string, string>>
  /** Only what is below this agent. */
  readonly below?: string
}

export async function readTree(skein: Skein, filter: TreeFilter): Promise<AgentNode[]> {
  const entries: FleetEntry[] = []
  for await (const entry of skein.fleet(toFleetFilter(filter))) entries.push(entry)
  return buildTree(entries, filter)
}

/** What to ask of the service; the rest of the filter is for `buildTree`. */
export function toFleetFilter({ includeTerminal = false, account, below }: TreeFilter) {
  return { includeTerminal, account, under: below }
}

/** In the order that they come in. An agent whose parent is not among them stands as a root of its own. */
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

/** Agents of other owners may have the same name. */
export function keyOf(agentId: AgentId): string {
  return agentKey(agentId, agentId.agent)
}

/** Parents before their children. */
export function flatten(nodes: readonly AgentNode[]): AgentNode[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)])
}
