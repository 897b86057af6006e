import { formatTimestamp, SkeinError, type Documents } from '@skein/contract'
import { isCurrent, isLive, isSameText, parseOwnOrBuiltIn, repositoryOf, type Caller } from '@skein/core'
import { AgentReader, CatalogStore, touchLeases, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { openRepoAccess, type RepoAccess } from '../runs/repo-access.ts'
import { runnerName } from '../runs/runner-name.ts'
import { askCodeHost } from './ask-code-host.ts'
import { findCodeHost } from './connect-code-host.ts'

/** A credential for a repository of a run, or of an ended agent whose data the runner removes. */
export async function mintRepoCredential(
  engine: EngineResources,
  caller: Caller,
  { access: sealed, url }: { readonly access: string; readonly url: string },
  signal: AbortSignal,
): Promise<{ credential: string; expireTime: string }> {
  const access = openRepoAccess(engine, sealed)
  if (!access || !(await holds(engine, caller, access))) throw notHeld()
  const { tenantId, agentId } = access
  const { codeHost, repositories } = await engine.database.forTenant(tenantId, async (transaction) =>
    findRepositories(transaction, await findWorkspace(transaction, access), url),
  )
  const [{ owner }] = repositories
  const { credential, expiresAt } = await askCodeHost(engine, {
    tenantId,
    codeHost,
    key: ['credential', agentId, access.run?.runId ?? '', access.run?.attempt ?? '', codeHost, owner].join('/'),
    call: { type: 'mint-credential', repositories },
    signal,
  })
  return { credential, expireTime: expiresAt === 0 ? '' : formatTimestamp(expiresAt) }
}

/** Whether the runner may still work on it. */
async function holds(
  { database, leaseMs, clock }: EngineResources,
  caller: Caller,
  { tenantId, agentId, run, until }: RepoAccess,
): Promise<boolean> {
  if (!run) return clock.now() < until && (caller.servesAllTenants || caller.tenantId === tenantId)
  const lease = { tenantId, agentId, ...run }
  const mine = await database.statement((transaction) =>
    touchLeases(transaction, runnerName(caller), [lease], leaseMs),
  )
  return mine.has(agentId)
}

async function findWorkspace(
  transaction: Transaction,
  { agentId, run }: RepoAccess,
): Promise<Documents['workspace']> {
  const [agent] = await new AgentReader(transaction).findAll([agentId])
  if (!agent || (run ? !isCurrent(agent, run) : isLive(agent))) throw notHeld()
  const { workspace: name } = agent.identity
  const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name })
  const workspace = parseOwnOrBuiltIn('workspace', name, stored?.document)
  if (!workspace) throw refusal(`The workspace ${name} was deleted.`)
  return workspace
}

/** The workspace's repositories that one token is for: those of the same code host and owner. */
async function findRepositories(transaction: Transaction, { repos }: Documents['workspace'], url: string) {
  const codeHost = repos.find((repo) => repo.url === url)?.codeHost ?? ''
  if (codeHost === '') throw refusal(`The workspace has no repository ${url} of a code host.`)
  const host = await findCodeHost(transaction, codeHost)
  if (!host) throw refusal(`The code host ${codeHost} cannot be read: write it again.`)
  const wanted = repositoryOf(host.url, url)
  if (!wanted) throw refusal(`${url} is not a repository of the code host ${codeHost}, which is at ${host.url}.`)
  const others = repos
    .filter((repo) => repo.codeHost === codeHost && repo.url !== url)
    .flatMap((repo) => repositoryOf(host.url, repo.url) ?? [])
    .filter(({ owner }) => isSameText(owner, wanted.owner))
  return { codeHost, repositories: [wanted, ...others] as const }
}

function notHeld(): SkeinError {
  return new SkeinError('RUN_NOT_CURRENT', { message: 'This runner no longer has the run.' })
}

function refusal(message: string): SkeinError {
  return new SkeinError('CODE_HOST_REFUSED', { message })
}
