import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { Card } from '../../ui/card.tsx'
import { ACTIONS, StackedTable } from '../../ui/stacked-table.tsx'
import type { Column } from '../../ui/table-head.tsx'
import { FirstAutomation } from './first-automation.tsx'
import type { FirstDocument } from './first-documents.ts'
import { LoadState } from './load-state.tsx'

/** All automations of one kind, or how to create the first. */
export function AutomationList<Entry>({
  label,
  first,
  columns,
  query,
  renderRow,
}: {
  readonly label: string
  readonly first: FirstDocument
  readonly columns: readonly Column[]
  readonly query: UseQueryResult<readonly Entry[]>
  readonly renderRow: (entry: Entry, canWrite: boolean) => ReactNode
}) {
  const canWrite = canWriteCatalog(useIdentity())
  const { data } = query
  return (
    <div className="flex flex-col gap-4">
      <LoadState query={query} />
      {data !== undefined && (
        <Card>
          {data.length === 0 ? (
            <FirstAutomation first={first} />
          ) : (
            <StackedTable label={label} columns={canWrite ? [...columns, ACTIONS] : columns}>
              {data.map((entry) => renderRow(entry, canWrite))}
            </StackedTable>
          )}
        </Card>
      )}
    </div>
  )
}
