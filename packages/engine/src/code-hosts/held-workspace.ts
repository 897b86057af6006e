import { SkeinError, type CodeHostDocument, type Documents } from '@skein/contract'
import {
  isCurrent,
  isLive,
  isSameText,
  parseOwnOrBuiltIn,
  repositoryOf,
  type AgentState,
  type Caller,
  type Repository,
} from '@skein/core'
import { AgentReader, CatalogStore, touchLeases, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { RepoAccess } from '../runs/repo-access.ts'
import { runnerName } from '../runs/runner-name.ts'
import { findCodeHost } from '../catalog/find-code-host.ts'

/** A repository of a code host, in a workspace that the runner works in. */
export interface HeldRepository {
  readonly agent: AgentState
  readonly codeHost: string
  readonly document: CodeHostDocument
  readonly repository: Repository
  /** With those of the same owner: a token can be for all of them. */
  readonly repositories: readonly Repository[]
  readonly workspace: Documents['workspace']
}

/** Refuses a runner that does not have the run, or no longer, and anything outside of its workspace. */
export async function requireHeldRepository(
  engine: EngineResources,
  caller: Caller,
  access: RepoAccess | undefined,
  url: string,
): Promise<HeldRepository> {
  if (!access || !(await holds(engine, caller, access))) throw notHeld()
  return engine.database.forTenant(access.tenantId, async (transaction) => {
    const [agent] = await new AgentReader(transaction).findAll([access.agentId])
    if (!agent || (access.run ? !isCurrent(agent, access.run) : isLive(agent))) throw notHeld()
    const workspace = await findWorkspace(transaction, agent.identity.workspace)
    return { agent, workspace, ...(await findRepository(transaction, workspace, url)) }
  })
}

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

async function findWorkspace(transaction: Transaction, name: string): Promise<Documents['workspace']> {
  const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name })
  const workspace = parseOwnOrBuiltIn('workspace', name, stored?.document)
  if (!workspace) throw refusal(`The workspace ${name} was deleted.`)
  return workspace
}

async function findRepository(
  transaction: Transaction,
  { repos }: Documents['workspace'],
  url: string,
): Promise<Omit<HeldRepository, 'agent' | 'workspace'>> {
  const codeHost = repos.find((repo) => repo.url === url)?.codeHost ?? ''
  if (codeHost === '') throw refusal(`The workspace has no repository ${url} of a code host.`)
  const document = await findCodeHost(transaction, codeHost)
  if (!document) throw refusal(`The code host ${codeHost} cannot be read: write it again.`)
  const repository = repositoryOf(document, url)
  if (!repository) {
    throw refusal(`${url} is not a repository of the code host ${codeHost}, which is at ${document.url}.`)
  }
  const others = repos
    .filter((repo) => repo.codeHost === codeHost && repo.url !== url)
    .flatMap((repo) => repositoryOf(document, repo.url) ?? [])
    .filter(({ owner }) => isSameText(owner, repository.owner))
  return { codeHost, document, repository, repositories: [repository, ...others] }
}

function notHeld(): SkeinError {
  return new SkeinError('RUN_NOT_CURRENT', { message: 'This runner no longer has the run.' })
}

function refusal(message: string): SkeinError {
  return new SkeinError('CODE_HOST_REFUSED', { message })
}
