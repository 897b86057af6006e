import type { PendingFollowUp } from './state.ts'

/** An answer is built in memory, beside those of everyone else. */
const MAX_PAGE_BYTES = 1_048_576

/** The most that a message can be: counted for one that came to the queue after the agent was read. */
const LARGEST = 262_144

/** How many of the messages fit into one answer: at least one, or a reader would never get past it. */
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
