import {
  formatTimestamp,
  type AgentPullRequest,
  type listPullRequests as operation,
  type ResponseOf,
} from '@skein/contract'
import { PullRequestStore, type PullRequestRecord } from '@skein/store'
import { findAgent } from '../agents/read-agent.ts'
import { pullRequestFacts } from '../catalog/pull-request-records.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import type { EngineResources } from '../resources.ts'

const MOST = 10

export async function listAgentPullRequests(
  engine: EngineResources,
  target: AgentTarget,
): Promise<ResponseOf<typeof operation>> {
  const agent = await findAgent(engine, target)
  const found = await engine.database.forTenant(target.tenantId, (transaction) =>
    new PullRequestStore(transaction).newestOf(agent.id, MOST),
  )
  return {
    pullRequests: found.map(toAgentPullRequest),
  }
}

export function toAgentPullRequest(record: PullRequestRecord): AgentPullRequest {
  return {
    name: record.name,
    ...pullRequestFacts(record),
    createTime: formatTimestamp(record.createdAt),
    updateTime: formatTimestamp(record.updatedAt),
  }
}
