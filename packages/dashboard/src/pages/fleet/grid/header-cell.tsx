import { ArrowDown, ArrowUp } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import { COLUMN_CLASSES } from './columns.ts'

const CLASSES: Readonly<Record<string, string>> = COLUMN_CLASSES
const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const

export function HeaderCell({
  id,
  title,
  direction,
  onSort,
}: {
  readonly id: string
  readonly title: string
  readonly direction: 'asc' | 'desc' | false
  readonly onSort: (() => void) | undefined
}) {
  return (
    <th
      scope="col"
      aria-sort={direction === false ? undefined : ARIA_SORT[direction]}
      className={classNames(
        'sticky top-0 z-10 h-[36px] border-b border-line bg-surface px-3 text-left text-xs font-semibold text-muted first:rounded-tl-xl last:rounded-tr-xl',
        CLASSES[id],
      )}
    >
      {onSort === undefined ? (
        title
      ) : (
        <button
          type="button"
          onClick={onSort}
          className={classNames(
            'inline-flex items-center gap-1 rounded hover:text-ink',
            direction !== false && 'text-ink',
          )}
        >
          {title}
          {direction === 'asc' && <ArrowUp size={12} aria-hidden />}
          {direction === 'desc' && <ArrowDown size={12} aria-hidden />}
        </button>
      )}
    </th>
  )
}
