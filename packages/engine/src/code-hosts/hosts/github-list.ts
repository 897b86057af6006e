import type { Octokit } from '@octokit/core'
import { REVIEW_LIMITS } from '@skein/core'
import { isTooLarge } from '../code-host.ts'
import { fieldsOf } from './to-conversation.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>

export interface Listed {
  readonly entries: readonly Readonly<Record<string, unknown>>[]
  readonly isAll: boolean
  readonly pageSize: number
}

/** Ten comments of the greatest length fit into an answer, a hundred need not. */
const PAGE_SIZES = [100, 10]
/** Of all entries together: who wants more asks again from where it ended. */
const MAX_CHARACTERS = 6 * 1024 * 1024

/** Entries of a list, as many as are read at once. Anybody can write comments that are too large for a page of many. */
export async function readList(
  github: Octokit,
  ask: Ask,
  route: string,
  query: Readonly<Record<string, string | number>>,
): Promise<Listed> {
  for (const [index, size] of PAGE_SIZES.entries()) {
    try {
      return await readPages(github, ask, route, { ...query, per_page: size }, size)
    } catch (error) {
      if (index === PAGE_SIZES.length - 1 || !isTooLarge(error)) throw error
    }
  }
  return { entries: [], isAll: true, pageSize: 1 }
}

async function readPages(
  github: Octokit,
  ask: Ask,
  route: string,
  query: Readonly<Record<string, string | number>>,
  size: number,
): Promise<Listed> {
  const entries: Readonly<Record<string, unknown>>[] = []
  let characters = 0
  for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
    const found: unknown = await ask(() => github.request(route, { ...query, page }))
    const list: unknown[] = Array.isArray(found) ? found.slice(0, size) : []
    entries.push(...list.map(fieldsOf))
    if (list.length < size) return { entries, isAll: true, pageSize: size }
    characters += JSON.stringify(list).length
    if (characters > MAX_CHARACTERS) break
  }
  return { entries, isAll: false, pageSize: size }
}
