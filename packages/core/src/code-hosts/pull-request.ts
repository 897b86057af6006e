import { cutText, type CodeHostDocument } from '@skein/contract'
import type { Repository } from './repository.ts'

/** A pull request as its code host describes it. Strangers may have written the title. */
export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly draft: boolean
  readonly head: string
  readonly base: string
}

/** What an agent wants to be open. */
export interface WantedPullRequest {
  readonly title: string
  readonly body: string
  readonly draft: boolean
  readonly head: string
  readonly base: string
}

const MAX_TITLE = 256
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** One line of text, without what cannot be seen. */
export function cleanTitle(title: string): string {
  return cutText(title.replaceAll(UNSEEN, ' ').trim(), MAX_TITLE)
}

/** Says whose it is. Hosts don't show it. */
export function markerOf(agentId: string): string {
  return `<!-- skein agent ${agentId} -->`
}

/** The agent's text, then whose it is. */
export function composeBody(
  text: string,
  { agentId, name, url }: { readonly agentId: string; readonly name: string; readonly url: string },
): string {
  const author = url === '' ? `\`${name}\`` : `[\`${name}\`](${url})`
  return `${text.trim()}\n\n---\nOpened by the Skein agent ${author}.\n${markerOf(agentId)}\n`.trimStart()
}

/** Whether this agent opened it. */
export function isOwnPullRequest({ body }: Pick<PullRequest, 'body'>, agentId: string): boolean {
  return body.includes(markerOf(agentId))
}

/**
 * The open one of a branch to use instead of a new one: the agent's own, whatever it is for, or else somebody's for the
 * same base, next to which the host would not accept another.
 */
export function choosePullRequest(
  found: readonly PullRequest[],
  { head, base }: Pick<WantedPullRequest, 'head' | 'base'>,
  agentId: string,
): PullRequest | undefined {
  const open = found.filter((each) => each.state === 'open' && each.head === head)
  const own = open.filter((each) => isOwnPullRequest(each, agentId))
  return own.find((each) => each.base === base) ?? own[0] ?? open.find((each) => each.base === base)
}

/** Composed here rather than taken from the host, which could answer with any URL. */
export function pullRequestUrl(
  { type, url }: Pick<CodeHostDocument, 'type' | 'url'>,
  { owner, name }: Repository,
  number: number,
): string {
  return `${url.replace(/\/+$/, '')}/${owner}/${name}/${PULL_REQUESTS[type]}/${number}`
}

/** Below the page of a repository. */
const PULL_REQUESTS = { github: 'pull', gitea: 'pulls', gitlab: '-/merge_requests' }

const MINUTE_MS = 60_000
const SOONEST_MS = 2 * MINUTE_MS
const LATEST_MS = 60 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const REOPENED_WITHIN_MS = 30 * DAY_MS

/** When to read it again: the longer nothing has changed, the later. Undefined means never. */
export function nextRead(state: PullRequest['state'], changedAt: number, now: number): number | undefined {
  const unchangedMs = Math.max(0, now - changedAt)
  if (state === 'merged') return undefined
  if (state === 'closed') return unchangedMs < REOPENED_WITHIN_MS ? now + DAY_MS : undefined
  return now + Math.min(Math.max(unchangedMs / 10, SOONEST_MS), LATEST_MS)
}

/** A name for the record: readable, and the same for the same pull request. */
export function pullRequestName({ name }: Repository, number: number, digest: string): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${cutText(words, 32).replace(/-+$/, '') || 'repo'}-${number}-${digest}`
}
