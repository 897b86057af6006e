import { formatAgentName, type AgentEntry, type Skein } from '@skein/client'

export interface AgentNode {
  readonly name: string
  readonly entry: AgentEntry
  readonly children: readonly AgentNode[]
}

export interface TreeFilter {
  readonly includeTerminal?: boolean
  readonly account?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** The roots that match, or the children of one agent, each with everything below it. */
export async function readTree(skein: Skein, filter: TreeFilter, parent?: string): Promise<AgentNode[]> {
  const entries: AgentEntry[] = []
  const { includeTerminal = false } = filter
  const list = parent === undefined ? skein.agents(filter) : skein.agent(parent).children({ includeTerminal })
  for await (const entry of list) entries.push(entry)
  const nodes: AgentNode[] = []
  // A few requests at a time: a fleet of hundreds must not look like an attack.
  for (let index = 0; index < entries.length; index += CONCURRENCY) {
    const batch = entries.slice(index, index + CONCURRENCY)
    nodes.push(...(await Promise.all(batch.map((entry) => readNode(skein, entry, filter)))))
  }
  return nodes
}

const CONCURRENCY = 8
const MAX_DEPTH = 8

async function readNode(skein: Skein, entry: AgentEntry, filter: TreeFilter): Promise<AgentNode> {
  const name = formatAgentName(entry.agentId)
  const nodes: AgentNode[] = []
  if (entry.agentId.agent.length < MAX_DEPTH) {
    const { includeTerminal = false } = filter
    for await (const child of skein.agent(entry.agentId).children({ includeTerminal })) {
      nodes.push(await readNode(skein, child, filter))
    }
  }
  return { name, entry, children: nodes }
}

/** Parents before their children. */
export function flatten(nodes: readonly AgentNode[]): AgentNode[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)])
}
