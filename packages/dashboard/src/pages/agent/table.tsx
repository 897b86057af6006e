import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

/** A plain table that scrolls horizontally on narrow screens. */
export function Table({
  label,
  columns,
  children,
}: {
  readonly label: string
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean }[]
  readonly children: ReactNode
}) {
  return (
    <div tabIndex={0} role="region" aria-label={label} className="relative overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            {columns.map(({ title, isNumber = false }) => (
              <th
                key={title}
                scope="col"
                className={classNames('px-4 py-2 font-medium', isNumber && 'text-right')}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  )
}

export function Cell({
  isNumber = false,
  className,
  children,
}: {
  readonly isNumber?: boolean
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <td
      className={classNames(
        'px-4 py-2 align-top',
        isNumber && 'text-right whitespace-nowrap tabular-nums',
        className,
      )}
    >
      {children}
    </td>
  )
}
