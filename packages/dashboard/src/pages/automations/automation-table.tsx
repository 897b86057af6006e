import type { ReactNode } from 'react'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { classNames } from '../../ui/class-names.ts'
import { ACTIONS, STACKED_ROW, StackedTable } from '../../ui/stacked-table.tsx'
import type { Column } from '../../ui/table-head.tsx'
import type { AutomationTab } from './automations-search.ts'
import { NameCell } from './name-cell.tsx'

const CELL = 'px-4 py-2.5'

export interface AutomationColumn<Entry> extends Column {
  readonly cellClassName?: string
  readonly render: (entry: Entry) => ReactNode
}

export interface AutomationTableProps<Entry> {
  readonly tab: AutomationTab
  readonly label: string
  /** After the name. */
  readonly columns: readonly AutomationColumn<Entry>[]
  /** Below the name. */
  readonly detailOf: (entry: Entry) => string
  /** For those who may change it. */
  readonly renderActions: (entry: Entry) => ReactNode
}

/** A row for each automation. */
export function AutomationTable<Entry extends { readonly name: string }>({
  tab,
  label,
  columns,
  detailOf,
  renderActions,
  entries,
}: AutomationTableProps<Entry> & { readonly entries: readonly Entry[] }) {
  const canWrite = canWriteCatalog(useIdentity())
  return (
    <StackedTable label={label} columns={[{ title: 'Name' }, ...columns, ...(canWrite ? [ACTIONS] : [])]}>
      {entries.map((entry) => (
        <tr key={entry.name} className={STACKED_ROW}>
          <NameCell tab={tab} name={entry.name} detail={detailOf(entry)} />
          {columns.map(({ title, cellClassName, render }) => (
            <td key={title} className={classNames(CELL, cellClassName)}>
              {render(entry)}
            </td>
          ))}
          {canWrite && (
            <td className={classNames(CELL, 'text-right max-md:ml-auto')}>
              <div className="flex justify-end gap-2">{renderActions(entry)}</div>
            </td>
          )}
        </tr>
      ))}
    </StackedTable>
  )
}
