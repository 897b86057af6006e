import { formatTimestamp, shareLink, SkeinError, type AgentId } from '@skein/contract'
import type { Caller } from '@skein/core'
import { CatalogStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'

interface Share {
  readonly agentId: AgentId
  readonly description: string
  readonly expireTime: string
}

/** What the caller's share link shows. */
export async function readShare({ database }: EngineResources, caller: Caller): Promise<Share> {
  const { tenantId, tenant, token, within, expiresAt } = caller
  const link = await database.forTenant(tenantId, (transaction) =>
    new CatalogStore(transaction).find({ kind: shareLink.kind, name: token }),
  )
  if (!within || !link?.document) throw new SkeinError('CREDENTIAL_INVALID')
  const { description } = link.document
  const { ownerProvider, account, workspace, path } = within
  return {
    agentId: { tenant, ownerProvider, account, workspace, agent: [...path] },
    description: typeof description === 'string' ? description : '',
    expireTime: expiresAt === undefined ? '' : formatTimestamp(expiresAt),
  }
}
