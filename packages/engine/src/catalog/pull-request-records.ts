import { pullRequest, type PullRequestDocument, type ResourceListEntry } from '@skein/contract'
import { listedWorkspaces, resourceNotFound, seesWorkspace, toPayload, type Viewer } from '@skein/core'
import { PullRequestStore, type PullRequestRecord, type Transaction } from '@skein/store'

/** As a resource without a stored version. */
export async function readPullRequest(
  transaction: Transaction,
  viewer: Viewer,
  name: string,
): Promise<string> {
  const record = await new PullRequestStore(transaction).find(name)
  if (!record || !seesWorkspace(viewer, record.workspace)) throw resourceNotFound(pullRequest.kind, name)
  return payloadOf(record)
}

export async function listPullRequests(
  transaction: Transaction,
  viewer: Viewer,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ResourceListEntry[]> {
  const records = await new PullRequestStore(transaction).listAfter(after, limit, listedWorkspaces(viewer))
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
