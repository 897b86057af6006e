import { ListTree, Rows3 } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import type { FleetSearch } from './fleet-search.ts'
import { useChangeSearch } from './filters/use-change-search.ts'

const VIEWS = [
  { view: undefined, label: 'Table', Icon: Rows3 },
  { view: 'tree', label: 'Tree', Icon: ListTree },
] as const

export function ViewSwitch({ search }: { readonly search: FleetSearch }) {
  const change = useChangeSearch()
  return (
    <div role="group" aria-label="View" className="flex rounded-lg border border-line bg-raised p-0.5">
      {VIEWS.map(({ view, label, Icon }) => (
        <button
          key={label}
          type="button"
          aria-pressed={search.view === view}
          onClick={() => change((before) => ({ ...before, view }))}
          className={classNames(
            'flex h-8 items-center gap-1.5 rounded-md px-3 text-sm font-medium text-muted hover:text-ink',
            'aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-raised',
          )}
        >
          <Icon size={16} aria-hidden />
          {label}
        </button>
      ))}
    </div>
  )
}
