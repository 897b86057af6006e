import { agentKey, isSameText, nameIssue, parseOwnOrBuiltIn } from '@skein/core'
import { CatalogStore, HostIssueStore, HostWatchStore } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import type { HeldRepository } from '../held-workspace.ts'

interface Starts {
  /** What the body says about the issue that the agent was started from, otherwise empty. */
  readonly issue: string
  /** Labels that start agents in this repository: an agent that set one would start others. */
  readonly startLabels: readonly string[]
}

/** What a pull request has to do with starting agents. */
export async function readStarts(
  { database }: EngineResources,
  tenantId: string,
  { agent, workspace, codeHost, repository }: HeldRepository,
): Promise<Starts> {
  return database.forTenant(tenantId, async (transaction) => {
    const found = await new HostIssueStore(transaction).ofAgent(agentKey(agent.identity))
    const isHere =
      found?.codeHost === codeHost &&
      isSameText(found.repository.owner, repository.owner) &&
      isSameText(found.repository.name, repository.name)
    const names = await new HostWatchStore(transaction).workspacesOf({ codeHost, repository })
    const startLabels: string[] = []
    for (const name of names) {
      const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name })
      const label = parseOwnOrBuiltIn('workspace', name, stored?.document)?.hostStarts?.label ?? ''
      if (label !== '') startLabels.push(label)
    }
    const issue = isHere ? nameIssue(found, workspace.hostStarts?.closesIssues === true) : ''
    return { issue, startLabels }
  })
}
