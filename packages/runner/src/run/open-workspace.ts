import type { Assignment } from '@skein/contract'
import { AgentWorkspace } from '../workspace/agent-workspace.ts'
import type { AgentIdentity } from '../workspace/agent-names.ts'
import type { RunnerParts } from './parts.ts'

export function identityOf(agentId: Assignment['agentId']): AgentIdentity {
  return {
    agentKey: JSON.stringify(agentId),
    scope: JSON.stringify({ ...agentId, agent: [] }),
    path: agentId.agent,
  }
}

/** Takes the agent's folder on this host, with the mirrors of its repositories. */
export function openWorkspace(
  { agentsDir, mirrors, gitFront, front }: Pick<RunnerParts, 'agentsDir' | 'mirrors' | 'gitFront' | 'front'>,
  { agentId, repos }: Pick<Assignment, 'agentId' | 'repos'>,
): Promise<AgentWorkspace> {
  return AgentWorkspace.open({
    ...identityOf(agentId),
    root: agentsDir,
    tenant: JSON.stringify(agentId.tenant),
    repos,
    mirrors,
    gitFront,
    frontPort: front.port,
  })
}
