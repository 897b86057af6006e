import { pullRequest, type PullRequestDocument, type ResourceListEntry } from '@skein/contract'
import { resourceNotFound, toPayload } from '@skein/core'
import { PullRequestStore, type PullRequestRecord, type Transaction } from '@skein/store'

/** As a resource without a stored version. */
export async function readPullRequest(transaction: Transaction, name: string): Promise<string> {
  const record = await new PullRequestStore(transaction).find(name)
  if (!record) throw resourceNotFound(pullRequest.kind, name)
  return payloadOf(record)
}

export async function listPullRequests(
  transaction: Transaction,
  after: string,
  limit: number,
): Promise<ResourceListEntry[]> {
  const records = await new PullRequestStore(transaction).listAfter(after, limit)
  return records.map((record) => ({
    name: record.name,
    payload: payloadOf(record),
    generation: '0',
    builtIn: false,
  }))
}

function payloadOf(record: PullRequestRecord): string {
  const { codeHost, owner, repository, number, url, title, state, draft, head, base } = record
  const { workspace, account, agent, name, createdAt, updatedAt } = record
  const document: PullRequestDocument = {
    codeHost,
    repository: `${owner}/${repository}`,
    number,
    url,
    title,
    state,
    draft,
    head,
    base,
    workspace,
    account,
    agent,
  }
  return toPayload(pullRequest, document, { name, generation: 0n, createdAt, updatedAt, updatedBy: '' })
}
