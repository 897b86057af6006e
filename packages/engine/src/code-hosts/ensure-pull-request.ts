import { choosePullRequest, isOwnPullRequest, type PullRequest } from '@skein/core'
import { CodeHostError, type CodeHost } from './code-host.ts'
import type { OpenPullRequest } from './host-call.ts'

/**
 * The open pull request of the agent's branch: the one that is there, or a new one. Repeated after it was killed, it
 * finds what it opened. `mayOpen` is asked last, so that a server that was overtaken opens nothing.
 */
export async function ensurePullRequest(
  host: CodeHost,
  { repository, wanted, agentId }: OpenPullRequest,
  /** Numbers of pull requests that the agent opened earlier. */
  known: readonly number[],
  mayOpen: () => Promise<boolean>,
): Promise<PullRequest | undefined> {
  const find = async () => choosePullRequest(await host.findPullRequests(repository, wanted), wanted, agentId)
  const found = (await find()) ?? (await findKnown(host, repository, wanted, agentId, known))
  const isToBeReady = found?.draft === true && !wanted.draft && isOwnPullRequest(found, agentId)
  if (found?.base === wanted.base && !isToBeReady) return found
  if (!(await mayOpen())) return undefined
  if (found) return changePullRequest(host, repository, found, wanted, isToBeReady)
  try {
    return await host.openPullRequest(repository, wanted)
  } catch (error) {
    // Somebody was faster: hosts accept one for each pair of branches.
    const other = error instanceof CodeHostError && error.isFinal ? await find() : undefined
    if (other) return other
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
