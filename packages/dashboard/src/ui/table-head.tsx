import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface Column {
  readonly title: string
  /** For screen readers only, as of a column of buttons. */
  readonly isTitleHidden?: boolean
  readonly className?: string
}

export function TableHead({ columns }: { readonly columns: readonly Column[] }): ReactNode {
  return (
    <thead className="text-xs text-muted">
      <tr className="border-b border-line">
        {columns.map(({ title, isTitleHidden = false, className }) => (
          <th key={title} className={classNames('px-4 py-2 font-medium', className)}>
            {isTitleHidden ? <span className="sr-only">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
  )
}
