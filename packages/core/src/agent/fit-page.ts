import type { PendingFollowUp } from './state.ts'

/** Responses are built in memory, many at a time. */
const MAX_PAGE_BYTES = 1_048_576

/** Maximum size of a message: assumed for one that was queued after the agent was read. */
const LARGEST = 262_144

/** How many messages fit into one response: at least one, so a reader always makes progress. */
export function fitPage(
  pending: readonly PendingFollowUp[],
  messages: readonly { readonly followUpId: string }[],
  pageSize: number,
): number {
  const bytesOf = new Map(pending.map(({ followUpId, bytes }) => [followUpId, bytes]))
  let total = 0
  const fitting = messages.findIndex(({ followUpId }) => {
    total += bytesOf.get(followUpId) ?? LARGEST
    return total > MAX_PAGE_BYTES
  })
  return fitting === -1 ? pageSize : Math.min(pageSize, Math.max(1, fitting))
}
