import type { ReactNode } from 'react'
import { TableHead, type Column } from './table-head.tsx'

export const STACKED_ROW =
  'hover:bg-raised max-md:flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-3 max-md:gap-y-1 max-md:px-4 max-md:py-3 max-md:[&>*]:min-w-0 max-md:[&>*]:p-0'

/** The column of a row's buttons. */
export const ACTIONS: Column = { title: 'Actions', isTitleHidden: true }

/** On a phone there is no space for columns: each row becomes a block with wrapping cells. */
export function StackedTable({
  label,
  columns,
  children,
}: {
  readonly label: string
  readonly columns: readonly Column[]
  readonly children: ReactNode
}) {
  return (
    <div tabIndex={0} role="group" aria-label={label} className="relative overflow-x-auto">
      <table className="w-full text-left text-sm max-md:block max-md:[&_tbody]:block max-md:[&_thead]:hidden">
        <TableHead columns={columns} />
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  )
}
