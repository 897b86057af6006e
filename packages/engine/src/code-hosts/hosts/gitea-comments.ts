import { REVIEW_LIMITS } from '@skein/core'
import type { Api } from 'gitea-js'
import { isTooLarge } from '../code-host.ts'
import { fieldsOf, timeOf } from './to-conversation.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

/** As many of the greatest length fit into an answer. */
const PER_PAGE = 10

interface Place {
  readonly owner: string
  readonly name: string
  readonly number: number
}

/**
 * Comments on an issue or a pull request that changed since a time. Gitea answers with all of them at once; if that is
 * too much, they are read from its timeline, which has pages.
 */
export async function readComments(
  api: Api<unknown>,
  ask: Ask,
  { owner, name, number }: Place,
  sinceMs: number,
): Promise<{ readonly entries: Fields[]; /** 0 if these are all. */ readonly readUntil: number }> {
  const since = new Date(Math.max(0, sinceMs)).toISOString()
  try {
    const all = await ask(() => api.repos.issueGetComments(owner, name, number, { since }))
    return { entries: listOf(all), readUntil: 0 }
  } catch (error) {
    if (!isTooLarge(error)) throw error
  }
  const entries: Fields[] = []
  for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
    const query = { since, page, limit: PER_PAGE }
    const list = listOf(await ask(() => api.repos.issueGetCommentsAndTimeline(owner, name, number, query)))
    // Gitea leaves entries out after it has counted a page: only an empty one is the last.
    if (list.length === 0) return { entries: entries.filter(isComment), readUntil: 0 }
    entries.push(...list)
  }
  return { entries: entries.filter(isComment), readUntil: timeOf(entries.at(-1)?.['created_at']) }
}

function isComment({ type }: Fields): boolean {
  return type === 'comment'
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, REVIEW_LIMITS.pages * 100).map(fieldsOf) : []
}
