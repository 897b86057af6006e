import type { UseQueryResult } from '@tanstack/react-query'
import { AutomationCard } from './automation-card.tsx'
import { AutomationTable, type AutomationTableProps } from './automation-table.tsx'
import type { FirstDocument } from './first-documents.ts'

/** All automations of one kind. */
export function AutomationList<Entry extends { readonly name: string }>({
  first,
  query,
  ...table
}: AutomationTableProps<Entry> & {
  readonly first: FirstDocument
  readonly query: UseQueryResult<readonly Entry[]>
}) {
  return (
    <AutomationCard
      first={first}
      query={query}
      renderList={(entries) => <AutomationTable {...table} entries={entries} />}
    />
  )
}
