import type { AgentStatus } from '@skein/client'

/** The status counts them only where it does not show them all. */
export function countFollowUps({ followUps, followUpCount = followUps.length }: AgentStatus): number {
  return followUpCount
}
