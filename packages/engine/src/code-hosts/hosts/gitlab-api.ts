import { CodeHostError, isTooLarge, type HostFetch } from '../code-host.ts'
import { toHostError, toUnreachable } from './host-failure.ts'
import { fieldsOf } from './to-conversation.ts'

export type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string | number | boolean>>

export interface GitLabConnection {
  readonly apiUrl: string
  readonly token: string
  readonly fetch: HostFetch
  readonly now: () => number
}

interface Page {
  readonly list: readonly Fields[]
  /** The number of the last one; 0 if GitLab does not say, which it does not of very long lists. */
  readonly last: number
  /** GitLab leaves out what the token may not see, so a page that is not full need not be the last. */
  readonly isLast: boolean
  readonly bytes: number
}

/**
 * Of everything that is read of a list, as it was sent: GitLab sends a `<` as six bytes. A look as a whole gets three times
 * as much, and fails beyond that.
 */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_PAGES = 10
const PAGE_SIZE = 100
/** A page that is too large is read in so many parts, and each of them again if it must be. */
const PARTS = 10
/** A comment can have a million characters, and strangers write them too: pages that are read in parts take many. */
const MAX_REQUESTS = 250
const BEYOND = 1_000_000

/** What is left of the limits of a list. */
interface Budget {
  requests: number
  bytes: number
}

interface Place {
  readonly path: string
  readonly query: Query
  readonly size: number
  readonly page: number
  /** The newest entries come last. */
  readonly isFromEnd: boolean
}

interface Part {
  readonly entries: readonly Fields[]
  /** Whether nothing comes after it. */
  readonly isLast: boolean
}

/** Requests to GitLab's API, by REST unless only GraphQL can. Nothing is retried or followed (docs/adr/0071). */
export class GitLabApi {
  readonly #connection: GitLabConnection

  constructor(connection: GitLabConnection) {
    this.#connection = connection
  }

  get now(): number {
    return this.#connection.now()
  }

  async get(path: string, query: Query = {}): Promise<Fields> {
    return fieldsOf(await this.#json('GET', path, { query }))
  }

  /** Undefined if it is not there. */
  async find(path: string): Promise<Fields | undefined> {
    try {
      return await this.get(path)
    } catch (error) {
      if (error instanceof CodeHostError && error.isMissing) return undefined
      throw error
    }
  }

  /** A list that is short, or of which the first hundred are enough. */
  async list(path: string, query: Query = {}): Promise<readonly Fields[]> {
    return (await this.#page(path, query, 100)).list
  }

  async send(method: 'POST' | 'PUT', path: string, body: object): Promise<Fields> {
    return fieldsOf(await this.#json(method, path, { body }))
  }

  /** The end of a text that may be very long. */
  async readEnd(path: string, keepEnd: number): Promise<string> {
    return (await this.#ask('GET', path, { keepEnd })).text()
  }

  async graph(query: string, variables: object): Promise<Fields> {
    const url = this.#connection.apiUrl.replace(/\/v4$/, '/graphql')
    const answer = fieldsOf(await this.#json('POST', url, { body: { query, variables } }))
    const { errors, data } = answer
    if (Array.isArray(errors) && errors.length > 0) throw refusal(fieldsOf(errors[0])['message'])
    return fieldsOf(data)
  }

  /**
   * The newest entries, back to the first that `isOld`: from the first page if the list is sorted so, else from its last
   * page. What is too large is read in parts, and an entry that is too large alone is left out.
   */
  async newest(
    path: string,
    query: Query,
    order: { readonly isSorted: boolean; readonly isOld: (entry: Fields) => boolean },
  ): Promise<readonly Fields[]> {
    return (await this.#newest(path, query, order)).entries
  }

  /** Every entry of a list; undefined if there are more than can be read. */
  async all(path: string, query: Query): Promise<readonly Fields[] | undefined> {
    const { entries, isLast } = await this.#newest(path, query, { isSorted: true, isOld: () => false })
    return isLast ? entries : undefined
  }

  async #newest(
    path: string,
    query: Query,
    { isSorted, isOld }: { readonly isSorted: boolean; readonly isOld: (entry: Fields) => boolean },
  ): Promise<Part> {
    const last = isSorted ? 0 : Math.ceil((await this.#count(path, query)) / PAGE_SIZE)
    const isFromEnd = last > 0
    const budget = { requests: MAX_REQUESTS, bytes: MAX_BYTES }
    const found: (readonly Fields[])[] = []
    let isEnd = false
    for (let index = 0; index < MAX_PAGES; index += 1) {
      const page = isFromEnd ? last - index : index + 1
      if (page < 1 || isSpent(budget)) break
      const { entries, isLast } = await this.#read({ path, query, size: PAGE_SIZE, page, isFromEnd }, budget)
      if (isFromEnd) found.unshift(entries)
      else found.push(entries)
      isEnd = !isFromEnd && isLast
      if (entries.some(isOld) || isEnd) break
    }
    return { entries: found.flat(), isLast: isEnd }
  }

  /** The first page of a list, as far as it can be read. */
  first(path: string, query: Query): Promise<Part> {
    const budget = { requests: MAX_REQUESTS, bytes: MAX_BYTES }
    return this.#read({ path, query, size: PAGE_SIZE, page: 1, isFromEnd: false }, budget)
  }

  async #read(place: Place, budget: Budget): Promise<Part> {
    const { path, query, size, page, isFromEnd } = place
    budget.requests -= 1
    const found = await unlessTooLarge(() => this.#page(path, { ...query, per_page: size, page }, size))
    if (found) {
      budget.bytes -= found.bytes
      return { entries: found.list, isLast: found.isLast }
    }
    if (size === 1) return { entries: [], isLast: false }
    const parts: Part[] = []
    for (let index = 0; index < PARTS && !isSpent(budget) && parts.at(-1)?.isLast !== true; index += 1) {
      const part = (page - 1) * PARTS + (isFromEnd ? PARTS - index : index + 1)
      const read = await this.#read({ ...place, size: size / PARTS, page: part }, budget)
      // Beyond the end, where reading from the end may begin, is not the end.
      parts.push(isFromEnd ? { ...read, isLast: false } : read)
    }
    const inOrder = isFromEnd ? parts.toReversed() : parts
    return { entries: inOrder.flatMap(({ entries }) => entries), isLast: parts.at(-1)?.isLast === true }
  }

  /** How many entries a list has. Beyond its end there is no entry that could be too large. */
  async #count(path: string, query: Query): Promise<number> {
    const count = (page: number) => this.#page(path, { ...query, per_page: 1, page }, 1)
    return (await unlessTooLarge(() => count(1)))?.last ?? (await count(BEYOND)).last
  }

  async #page(path: string, query: Query, size: number): Promise<Page> {
    const response = await this.#ask('GET', path, { query })
    const text = await response.text()
    const found = parseJson(text)
    const list: unknown[] = Array.isArray(found) ? found.slice(0, size) : []
    const last = Number(response.headers.get('x-total-pages') ?? 0)
    const next = response.headers.get('x-next-page')
    return {
      list: list.map(fieldsOf),
      last: Number.isSafeInteger(last) && last > 0 ? last : 0,
      bytes: Buffer.byteLength(text),
      isLast: next === null ? list.length < size : next.trim() === '',
    }
  }

  async #json(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { query = {}, body }: { readonly query?: Query; readonly body?: object },
  ): Promise<unknown> {
    return readJson(await this.#ask(method, path, { query, ...(body && { body }) }))
  }

  async #ask(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { query = {}, body, keepEnd }: { query?: Query; body?: object; keepEnd?: number },
  ): Promise<Response> {
    const { apiUrl, token, fetch, now } = this.#connection
    const url = new URL(path.startsWith('/') ? `${apiUrl}${path}` : path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    let response: Response
    try {
      response = await fetch(url, {
        method,
        headers: {
          'private-token': token,
          'user-agent': 'skein',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(keepEnd !== undefined && { keepEnd }),
      })
    } catch (error) {
      throw toUnreachable(error)
    }
    if (response.ok) return response
    const { status, headers } = response
    const said = saidBy(await response.text())
    throw toHostError({ status, said, header: (name) => headers.get(name) ?? '', now: now() })
  }
}

function isSpent({ requests, bytes }: Budget): boolean {
  return requests <= 0 || bytes <= 0
}

async function unlessTooLarge<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isTooLarge(error)) return undefined
    throw error
  }
}

async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text())
}

function parseJson(text: string): unknown {
  try {
    const answer: unknown = text === '' ? {} : JSON.parse(text)
    return answer
  } catch (error) {
    throw new CodeHostError('The response of the code host is not JSON.', { isFinal: false, cause: error })
  }
}

/** A text, a list of texts, or texts by field. */
function saidBy(text: string): string {
  try {
    const { message, error } = fieldsOf(JSON.parse(text))
    const said = message ?? error ?? ''
    return typeof said === 'string' ? said : JSON.stringify(said)
  } catch {
    return ''
  }
}

/** For what GitLab refuses with a success. */
export function refusal(said: unknown): CodeHostError {
  const text = typeof said === 'string' ? said : ''
  return toHostError({ status: 422, said: text, header: () => '', now: 0 })
}
