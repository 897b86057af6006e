import type { AgentId, FleetEntry } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { agentKey } from '../../format/agent-link.ts'
import { skein } from '../../session/skein.ts'
import { orderTree } from './order-tree.ts'

export interface LiveSubtree {
  /** Parents before their children. */
  readonly entries: readonly FleetEntry[]
  /** There are more than one page. */
  readonly hasMore: boolean
}

/** The live agents of a subtree, read when asked and never cached. */
export function liveSubtreeQuery(agentId: AgentId) {
  return queryOptions({
    queryKey: ['live-subtree', agentKey(agentId)],
    queryFn: async ({ signal }): Promise<LiveSubtree> => {
      const { entries, nextPageToken } = await skein.listFleet({ under: agentId, account: '*', signal })
      return { entries: orderTree(entries), hasMore: nextPageToken !== '' }
    },
    staleTime: Infinity,
    gcTime: 0,
  })
}
