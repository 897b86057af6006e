import { choosePullRequest, isOwnPullRequest, type PullRequest } from '@skein/core'
import { CodeHostError, type CodeHost } from './code-host.ts'
import type { OpenPullRequest } from './host-call.ts'

interface Means {
  /** Numbers of pull requests that the agent opened earlier. */
  readonly known: readonly number[]
  readonly mayOpen: () => Promise<boolean>
  /** The host as the agent's owner, if we may act for them. */
  readonly author: CodeHost | undefined
}

/**
 * The open pull request of the agent's branch: the one that is there, or a new one. Repeated after it was killed, it
 * finds what it opened. `mayOpen` is asked last, so that a server that was overtaken opens nothing.
 */
export async function ensurePullRequest(
  host: CodeHost,
  { repository, wanted, agentId }: OpenPullRequest,
  { known, mayOpen, author }: Means,
): Promise<PullRequest | undefined> {
  const find = async () => choosePullRequest(await host.findPullRequests(repository, wanted), wanted, agentId)
  const found = (await find()) ?? (await findKnown(host, repository, wanted, agentId, known))
  const isToBeReady = found?.draft === true && !wanted.draft && isOwnPullRequest(found, agentId)
  if (found?.base === wanted.base && !isToBeReady) return found
  if (!(await mayOpen())) return undefined
  if (found) return changePullRequest(host, repository, found, wanted, isToBeReady)
  const opened = author && (await openAs(author, repository, wanted))
  if (opened) return opened
  try {
    return await host.openPullRequest(repository, wanted)
  } catch (error) {
    // Somebody was faster: hosts accept one for each pair of branches.
    const other = error instanceof CodeHostError && error.isFinal ? await find() : undefined
    if (other) return other
    throw error
  }
}

/** Undefined if the person may not, or somebody was faster: then it is ours to open or to find. */
async function openAs(
  author: CodeHost,
  repository: OpenPullRequest['repository'],
  wanted: OpenPullRequest['wanted'],
): Promise<PullRequest | undefined> {
  try {
    return await author.openPullRequest(repository, wanted)
  } catch (error) {
    if (error instanceof CodeHostError && error.isFinal) return undefined
    throw error
  }
}

/** Killed before it is ready, it is still a draft, and all of it is done again. */
async function changePullRequest(
  host: CodeHost,
  repository: OpenPullRequest['repository'],
  { number, base: baseBefore }: PullRequest,
  { base, title, body }: OpenPullRequest['wanted'],
  isToBeReady: boolean,
): Promise<PullRequest> {
  const changed = await host.updatePullRequest(repository, number, {
    ...(base !== baseBefore && { base }),
    ...(isToBeReady && { title, body }),
  })
  if (!isToBeReady) return changed
  await host.markReady(repository, number)
  return { ...changed, draft: false }
}

/** Those that a search for branches did not find, because they are for another base. */
async function findKnown(
  host: CodeHost,
  repository: OpenPullRequest['repository'],
  wanted: OpenPullRequest['wanted'],
  agentId: string,
  known: readonly number[],
): Promise<PullRequest | undefined> {
  for (const number of known) {
    const read = await host.readPullRequest(repository, number)
    const chosen = choosePullRequest([read], wanted, agentId)
    if (chosen) return chosen
  }
  return undefined
}
