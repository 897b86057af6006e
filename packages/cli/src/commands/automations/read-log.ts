import { UsageError } from '../../command-line/usage-error.ts'

const MAX_LOG = 10_000
const MAX_PAGE = 1000

/** The newest entries of a log, as many as `--limit` says. */
export async function readLog<Entry>(
  limit: string,
  read: (options: { readonly pageSize: number }) => AsyncIterable<Entry>,
): Promise<Entry[]> {
  const most = parseLimit(limit)
  const entries: Entry[] = []
  for await (const entry of read({ pageSize: Math.min(most, MAX_PAGE) })) {
    entries.push(entry)
    if (entries.length >= most) break
  }
  return entries
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LOG) return limit
  throw new UsageError(`${text} is not a number from 1 to ${MAX_LOG}.`, 'Write it as --limit 50.')
}
