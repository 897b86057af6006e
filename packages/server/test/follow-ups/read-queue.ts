import type { AgentId, FollowUp } from '@skein/contract'
import type { AgentWorld } from '../agents/agent-world.ts'

/** The whole queue of an agent, page by page, and how large the largest answer was. */
export async function readQueue(world: AgentWorld, agentId: AgentId, pageSize?: number) {
  const pages: FollowUp[][] = []
  let largest = 0
  let pageToken = ''
  do {
    const answer = await world.admin.post('/v1/agent/queue/list', {
      agentId,
      pageToken,
      ...(pageSize && { pageSize }),
    })
    largest = Math.max(largest, answer.text.length)
    pages.push(answer.body['followUps'] as FollowUp[])
    pageToken = String(answer.body['nextPageToken'])
  } while (pageToken !== '')
  return { pages, largest, all: pages.flat() }
}
