import { pullRequest, type PullRequestDocument, type ResourceListEntry } from '@skein/contract'
import {
  listedWorkspaces,
  resourceNotFound,
  seesWorkspace,
  threadName,
  toPayload,
  type Viewer,
} from '@skein/core'
import {
  PullRequestStore,
  ReviewThreadStore,
  type PullRequestRecord,
  type ReviewThread,
  type Transaction,
} from '@skein/store'

const MAX_THREADS = 100

/** As a resource without a stored version. */
export async function readPullRequest(
  transaction: Transaction,
  viewer: Viewer,
  name: string,
): Promise<string> {
  const record = await new PullRequestStore(transaction).find(name)
  if (!record || !seesWorkspace(viewer, record.workspace)) throw resourceNotFound(pullRequest.kind, name)
  return payloadOf(record, await new ReviewThreadStore(transaction).newest(name, MAX_THREADS))
}

export async function listPullRequests(
  transaction: Transaction,
  viewer: Viewer,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ResourceListEntry[]> {
  const records = await new PullRequestStore(transaction).listAfter(after, limit, listedWorkspaces(viewer))
  return records.map((record) => ({
    name: record.name,
    payload: payloadOf(record, []),
    generation: '0',
    builtIn: false,
  }))
}

function payloadOf(record: PullRequestRecord, threads: readonly ReviewThread[]): string {
  const { workspace, account, agent, name, createdAt, updatedAt } = record
  const document: PullRequestDocument = {
    ...pullRequestFacts(record),
    workspace,
    account,
    agent,
    threads: threads.map(({ thread, author, place, round, ...rest }) => ({
      thread: threadName({ name }, thread),
      author,
      path: place.path,
      line: place.line,
      round,
      state: stateOf(rest),
    })),
  }
  return toPayload(pullRequest, document, { name, generation: 0n, createdAt, updatedAt, updatedBy: '' })
}

/** As people see it: without whose it is, and without its threads. */
export function pullRequestFacts(
  record: PullRequestRecord,
): Omit<PullRequestDocument, 'workspace' | 'account' | 'agent' | 'threads'> {
  const { review } = record
  return {
    codeHost: record.codeHost,
    repository: `${record.owner}/${record.repository}`,
    number: record.number,
    url: record.url,
    title: record.title,
    state: record.state,
    draft: record.draft,
    head: record.head,
    base: record.base,
    checks: review.checks,
    isConflicting: record.isConflicting,
    review: review.phase === 'sending' ? review.next : review.phase,
    reviewProblem: review.problem,
    rounds: review.rounds,
  }
}

function stateOf({ answer, isPosted, problem }: Pick<ReviewThread, 'answer' | 'isPosted' | 'problem'>) {
  if (answer === undefined) return 'delivered'
  if (!isPosted) return 'answered'
  return problem === '' ? 'posted' : 'failed'
}
