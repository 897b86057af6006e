import { MAX_PAGE_SIZE, SkeinError } from '@skein/contract'

export interface Page {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
}

export function pageSizeOf(page: Page): number {
  return page.pageSize ?? MAX_PAGE_SIZE
}

/** The last entry of most lists: its time in epoch milliseconds, and its id. */
export const TIME_AND_ID = /^[0-9]{1,15} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Opaque to callers: the list it was issued for and the last entry shown. */
export function encodePageToken(list: string, lastEntry: readonly string[]): string {
  return Buffer.from(JSON.stringify([list, ...lastEntry])).toString('base64url')
}

/** The last entry shown, or undefined for the first page. */
export function decodePageToken(
  list: string,
  { pageToken }: Page,
  form: RegExp,
): readonly string[] | undefined {
  if (pageToken === undefined || pageToken === '') return undefined
  const [issuedFor, ...lastEntry] = parseToken(pageToken)
  const isWhole = !lastEntry.some((part) => part.includes(' '))
  if (issuedFor === list && isWhole && form.test(lastEntry.join(' '))) return lastEntry
  throw new SkeinError('PAGE_TOKEN_INVALID')
}

function parseToken(token: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    return Array.isArray(parts) ? parts.map(String) : []
  } catch {
    return []
  }
}

/** Callers read one row more than the page size. If it is there, there is a next page. */
export function splitPage<Row>(
  rows: readonly Row[],
  pageSize: number,
): { shown: readonly Row[]; last?: Row } {
  const shown = rows.slice(0, pageSize)
  const last = shown.at(-1)
  return rows.length > pageSize && last !== undefined ? { shown, last } : { shown }
}
