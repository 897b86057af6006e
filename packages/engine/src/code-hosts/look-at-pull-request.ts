import { nextLook } from '@skein/core'
import { PullRequestStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { CodeHostError, type HostFetch } from './code-host.ts'
import { connectCodeHost } from './connect-code-host.ts'

const RETRY_MS = 10 * 60_000
/** The App may be installed again, the repository may come back. */
const REFUSED_RETRY_MS = 24 * 60 * 60_000

/** Reads it from its code host and records what has changed. Doing it twice has no effect. */
export async function lookAtPullRequest(
  engine: EngineResources,
  fetch: HostFetch,
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
): Promise<void> {
  const { database, clock } = engine
  const record = await database.forTenant(tenantId, (transaction) =>
    new PullRequestStore(transaction).find(name),
  )
  if (!record) return
  try {
    const { codeHost, owner, repository, number, updatedAt } = record
    const { host } = await connectCodeHost(engine, fetch, tenantId, codeHost)
    const { body: _body, ...now } = await host.readPullRequest({ owner, name: repository }, number)
    const at = clock.now()
    const isChanged = now.state !== record.state || now.title !== record.title || now.base !== record.base
    const lookAt = nextLook(now.state, isChanged ? at : updatedAt, at)
    await database.forTenant(tenantId, (transaction) =>
      new PullRequestStore(transaction).put({ ...record, ...now }, at, lookAt),
    )
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    const pauseMs = error.isFinal ? REFUSED_RETRY_MS : Math.max(RETRY_MS, error.retryAfterMs)
    await database.forTenant(tenantId, (transaction) =>
      new PullRequestStore(transaction).postpone(name, clock.now() + pauseMs),
    )
  }
}
