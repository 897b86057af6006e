import { formatTimestamp } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'
import { openRepoAccess } from '../runs/repo-access.ts'
import { askCodeHost } from './ask-code-host.ts'
import { requireHeldRepository } from './held-workspace.ts'

/** A credential for a repository of a run, or of an ended agent whose data the runner removes. */
export async function mintRepoCredential(
  engine: EngineResources,
  caller: Caller,
  { access: sealed, url }: { readonly access: string; readonly url: string },
  signal: AbortSignal,
): Promise<{ credential: string; expireTime: string }> {
  const access = openRepoAccess(engine, sealed)
  const { agent, codeHost, repository, repositories } = await requireHeldRepository(
    engine,
    caller,
    access,
    url,
  )
  const { runId = '', attempt = '' } = access?.run ?? {}
  const { credential, expiresAt } = await askCodeHost(engine, {
    tenantId: access?.tenantId ?? '',
    codeHost,
    key: ['credential', agent.id, runId, attempt, codeHost, repository.owner].join('/'),
    call: { type: 'mint-credential', repositories },
    signal,
  })
  return { credential, expireTime: expiresAt === 0 ? '' : formatTimestamp(expiresAt) }
}
