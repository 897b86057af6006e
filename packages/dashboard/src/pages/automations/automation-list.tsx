import type { UseQueryResult } from '@tanstack/react-query'
import { Card } from '../../ui/card.tsx'
import { AutomationTable, type AutomationTableProps } from './automation-table.tsx'
import { FirstAutomation } from './first-automation.tsx'
import type { FirstDocument } from './first-documents.ts'
import { LoadState } from './load-state.tsx'

/** All automations of one kind, or how to create the first. */
export function AutomationList<Entry extends { readonly name: string }>({
  first,
  query,
  ...table
}: AutomationTableProps<Entry> & {
  readonly first: FirstDocument
  readonly query: UseQueryResult<readonly Entry[]>
}) {
  const { data } = query
  return (
    <div className="flex flex-col gap-4">
      <LoadState query={query} />
      {data !== undefined && (
        <Card>
          {data.length === 0 ? (
            <FirstAutomation first={first} />
          ) : (
            <AutomationTable {...table} entries={data} />
          )}
        </Card>
      )}
    </div>
  )
}
