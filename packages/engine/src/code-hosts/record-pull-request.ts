import { createHash } from 'node:crypto'
import type { CodeHostDocument } from '@skein/contract'
import {
  isSameText,
  nextRead,
  pullRequestName,
  pullRequestUrl,
  type PullRequest,
  type Repository,
} from '@skein/core'
import { PullRequestStore, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { OpenedPullRequest, OpenPullRequest } from './host-call.ts'

/** With the name and the URL of its record. The body stays on the host. */
export function toOpened(
  codeHost: string,
  document: CodeHostDocument,
  repository: Repository,
  { body: _body, ...pull }: PullRequest,
): Omit<OpenedPullRequest, 'problems'> {
  return {
    ...pull,
    name: pullRequestName(repository, pull.number, placeDigest(codeHost, repository)),
    url: pullRequestUrl(document, repository, pull.number),
  }
}

/** Distinguishes repositories of the same name. */
export function placeDigest(codeHost: string, { owner, name }: Repository): string {
  const place = `${codeHost}/${owner}/${name}`.toLowerCase()
  return createHash('sha256').update(place).digest('hex').slice(0, 8)
}

export async function recordPullRequest(
  transaction: Transaction,
  {
    codeHost,
    call: { agentId, workspace, account, agent, repository },
    opened,
    now,
  }: {
    readonly codeHost: string
    readonly call: OpenPullRequest
    readonly opened: OpenedPullRequest
    readonly now: number
  },
): Promise<void> {
  const { owner, name } = repository
  const record = { ...opened, agentId, workspace, account, agent, codeHost, owner, repository: name }
  await new PullRequestStore(transaction).put(record, now, nextRead(opened.state, now, now))
}

/** What the agent opened earlier for the same branch, if it was still open when last read. */
export async function findKnownNumbers(
  { database }: EngineResources,
  tenantId: string,
  codeHost: string,
  { agentId, repository, wanted }: OpenPullRequest,
): Promise<number[]> {
  const open = await database.forTenant(tenantId, (transaction) =>
    new PullRequestStore(transaction).openOf(agentId, codeHost),
  )
  return open
    .filter(({ owner, head }) => isSameText(owner, repository.owner) && head === wanted.head)
    .filter((record) => isSameText(record.repository, repository.name))
    .map(({ number }) => number)
}
