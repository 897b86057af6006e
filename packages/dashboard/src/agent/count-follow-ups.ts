import type { AgentStatus } from '@skein/client'

/** The status has a separate count only if it doesn't show them all. */
export function countFollowUps({ followUps, followUpCount = followUps.length }: AgentStatus): number {
  return followUpCount
}
