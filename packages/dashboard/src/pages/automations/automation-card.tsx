import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { FirstAutomation } from './first-automation.tsx'
import type { FirstDocument } from './first-documents.ts'
import { LoadState } from './load-state.tsx'

/** A list once it is loaded, or how to create the first entry. */
export function AutomationCard<Entry>({
  first,
  query,
  renderList,
}: {
  readonly first: FirstDocument
  readonly query: UseQueryResult<readonly Entry[]>
  readonly renderList: (entries: readonly Entry[]) => ReactNode
}) {
  const { data } = query
  return (
    <div className="flex flex-col gap-4">
      <LoadState query={query} />
      {data !== undefined && (
        <Card>{data.length === 0 ? <FirstAutomation first={first} /> : renderList(data)}</Card>
      )}
    </div>
  )
}
