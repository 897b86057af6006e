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
export function readList(
  github: Octokit,
  ask: Ask,
  route: string,
  query: Readonly<Record<string, string | number>>,
): Promise<Listed> {
  return readInSizes((size) => readForwards(pageReader(github, ask, route, query, size), size))
}

/** The same for a list that has no beginning to ask for: if it is too long, its end is read. */
export function readEndOfList(
  github: Octokit,
  ask: Ask,
  route: string,
  query: Readonly<Record<string, string | number>>,
): Promise<Listed> {
  return readInSizes((size) => readBackwards(pageReader(github, ask, route, query, size), size))
}

async function readInSizes(read: (size: number) => Promise<Listed>): Promise<Listed> {
  for (const [index, size] of PAGE_SIZES.entries()) {
    try {
      return await read(size)
    } catch (error) {
      if (index === PAGE_SIZES.length - 1 || !isTooLarge(error)) throw error
    }
  }
  return { entries: [], isAll: true, pageSize: 1 }
}

interface Page {
  readonly list: readonly Readonly<Record<string, unknown>>[]
  /** The number of the last one; 0 if the host does not say. */
  readonly last: number
}

type ReadPage = (page: number) => Promise<Page>

function pageReader(
  github: Octokit,
  ask: Ask,
  route: string,
  query: Readonly<Record<string, string | number>>,
  size: number,
): ReadPage {
  return async (page) => {
    const { found, link } = await ask(async () => {
      const answer = await github.request(route, { ...query, per_page: size, page })
      const data: { found: unknown; link: string } = { found: answer.data, link: answer.headers.link ?? '' }
      return { data }
    })
    const list: unknown[] = Array.isArray(found) ? found.slice(0, size) : []
    const [, last = ''] = /[?&]page=(\d{1,6})[^<>]*>; rel="last"/.exec(link) ?? []
    return { list: list.map(fieldsOf), last: Number(last) }
  }
}

async function readForwards(readPage: ReadPage, size: number): Promise<Listed> {
  const entries: Readonly<Record<string, unknown>>[] = []
  let characters = 0
  for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
    const { list } = await readPage(page)
    entries.push(...list)
    if (list.length < size) return { entries, isAll: true, pageSize: size }
    characters += JSON.stringify(list).length
    if (characters > MAX_CHARACTERS) break
  }
  return { entries, isAll: false, pageSize: size }
}

async function readBackwards(readPage: ReadPage, size: number): Promise<Listed> {
  const first = await readPage(1)
  if (first.last <= 1) return readForwards(async (page) => (page === 1 ? first : readPage(page)), size)
  const pages: Page['list'][] = []
  let characters = 0
  for (let page = first.last; page >= 1 && pages.length < REVIEW_LIMITS.pages; page -= 1) {
    const { list } = page === 1 ? first : await readPage(page)
    pages.unshift(list)
    characters += JSON.stringify(list).length
    if (characters > MAX_CHARACTERS) break
  }
  return { entries: pages.flat(), isAll: pages.length === first.last, pageSize: size }
}
