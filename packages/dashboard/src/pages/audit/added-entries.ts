import type { AuditEntry } from '@skein/client'
import { useEffect, useState } from 'react'
import { skein } from '../../session/skein.ts'
import { toAuditFilter, type AuditSearch } from './audit-search.ts'

/** More than anyone reads. The older ones are in the list when the page is opened again. */
const MAX_ADDED = 500

/** Entries added since the list was read, newest first. None for a list that ends at a day. */
export function useAddedEntries(search: AuditSearch, cursor: string | undefined): readonly AuditEntry[] {
  const [added, setAdded] = useState<readonly AuditEntry[]>([])
  const key = JSON.stringify(search)
  useEffect(() => {
    setAdded([])
    if (cursor === undefined || search.to !== undefined) return undefined
    const controller = new AbortController()
    void follow(search, cursor, controller.signal, (entry) =>
      setAdded((known) => [entry, ...known].slice(0, MAX_ADDED)),
    )
    return () => controller.abort()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the text is the search
  }, [key, cursor])
  return added
}

async function follow(
  search: AuditSearch,
  after: string,
  signal: AbortSignal,
  onEntry: (entry: AuditEntry) => void,
): Promise<void> {
  const { endTime: _endTime, ...filter } = toAuditFilter(search)
  try {
    const options = { after, signal, reconnectForMs: Infinity }
    for await (const { entry } of skein.watchAudit(filter, options)) onEntry(entry)
  } catch {
    // Signed out, or the cursor is of another database. The list says what is wrong when it is read again.
  }
}

/** One that was committed while the list was read is in both. */
export function withAdded(
  added: readonly AuditEntry[],
  listed: readonly AuditEntry[],
): readonly AuditEntry[] {
  const known = new Set(listed.map(({ id }) => id))
  return [...added.filter(({ id }) => !known.has(id)), ...listed]
}
