import type { AgentId, FleetEntry } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { agentKey } from '../../format/agent-link.ts'
import { skein } from '../../session/skein.ts'
import { orderTree } from './order-tree.ts'

/** The agent with its descendants, parents before their children. */
export function subtreeQuery(agentId: AgentId, { includeTerminal }: { readonly includeTerminal: boolean }) {
  return queryOptions({
    queryKey: ['subtree', agentKey(agentId), includeTerminal],
    queryFn: async ({ signal }): Promise<readonly FleetEntry[]> => {
      const entries: FleetEntry[] = []
      for await (const entry of skein.fleet({ under: agentId, account: '*', includeTerminal, signal })) {
        entries.push(entry)
      }
      return orderTree(entries)
    },
    refetchInterval: 5_000,
  })
}
