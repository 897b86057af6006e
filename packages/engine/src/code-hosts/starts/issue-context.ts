import type { HostStarts, Tenant } from '@skein/contract'
import { parseOwnOrBuiltIn } from '@skein/core'
import {
  CatalogStore,
  findOwnTenant,
  HostIssueStore,
  HostWatchStore,
  type HeldHostIssue,
  type HostIssueRecord,
  type HostWatchRecord,
} from '@skein/store'
import type { EngineResources } from '../../resources.ts'

/** What a step knows before it asks the host anything. */
export interface IssueContext {
  readonly engine: EngineResources
  readonly held: HeldHostIssue
  readonly record: HostIssueRecord
  readonly watch: HostWatchRecord
  readonly policy: HostStarts
  /** Whether comments on pull requests of agents go to them anyway. */
  readonly hasReviews: boolean
  readonly tenant: Tenant
}

/** Undefined if nothing can be started from it any more. */
export async function readIssueContext(
  engine: EngineResources,
  held: HeldHostIssue,
): Promise<IssueContext | undefined> {
  return engine.database.forTenant(held.tenantId, async (transaction) => {
    const record = await new HostIssueStore(transaction).find(held)
    const watch = await new HostWatchStore(transaction).find(held)
    const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name: held.workspace })
    const workspace = parseOwnOrBuiltIn('workspace', held.workspace, stored?.document)
    const policy = workspace?.hostStarts
    if (!record || !watch || !policy) return undefined
    const tenant = await findOwnTenant(transaction)
    return { engine, held, record, watch, policy, hasReviews: workspace.reviewRounds > 0, tenant }
  })
}
