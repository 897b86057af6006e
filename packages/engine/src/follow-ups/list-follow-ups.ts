import type { FollowUp } from '@skein/contract'
import { agentKey, agentNotFound, fitPage, isVisible } from '@skein/core'
import { AgentReader } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { toFollowUp } from '../agents/describe-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

/** Complete pending messages, oldest first. A page is bounded in size, but has at least one. */
export async function listFollowUps(
  { database }: EngineResources,
  target: AgentTarget,
  page: Page,
): Promise<{ followUps: FollowUp[]; nextPageToken: string }> {
  const [after = '0'] = decodePageToken('follow-ups', page, /^[0-9]{1,18}$/) ?? []
  return database.forTenant(target.tenantId, async (transaction) => {
    const reader = new AgentReader(transaction)
    const agent = await reader.find(agentKey(target.identity))
    if (!isVisible(agent, target)) throw agentNotFound()
    const places = await reader.pendingAfter(agent.id, BigInt(after), pageSizeOf(page) + 1)
    const amount = fitPage([...agent.queue, ...agent.deferred], places, pageSizeOf(page))
    const { shown, last } = splitPage(places, amount)
    const bodies = await reader.followUps(
      agent.id,
      shown.map(({ followUpId }) => followUpId),
    )
    const states = new Map(shown.map(({ followUpId, state }) => [followUpId, state]))
    return {
      followUps: bodies.map((body) => toFollowUp({ state: states.get(body.followUpId) ?? 'QUEUED', body })),
      nextPageToken: last === undefined ? '' : encodePageToken('follow-ups', [last.position.toString()]),
    }
  })
}
