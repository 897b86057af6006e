import { X } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { clearFilters, type FleetSearch } from '../fleet-search.ts'
import { listChips } from './list-chips.ts'
import { useChangeSearch } from './use-change-search.ts'

/** The active filters, each removable. */
export function FilterChips({
  search,
  teams,
}: {
  readonly search: FleetSearch
  readonly teams: ReadonlyMap<string, string>
}) {
  const change = useChangeSearch()
  const chips = listChips(search, teams)
  if (chips.length === 0) return null
  return (
    <ul aria-label="Active filters" className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ label, without }) => (
        <li key={label} className="min-w-0">
          <button
            type="button"
            onClick={() => change(without)}
            className="flex max-w-72 items-center gap-1 rounded-full border border-line bg-raised py-0.5 pr-2 pl-2.5 text-xs font-medium hover:border-line-strong"
          >
            <span className="sr-only">Remove filter</span>
            <span className="truncate" title={label}>
              {label}
            </span>
            <X size={13} aria-hidden className="shrink-0 text-muted" />
          </button>
        </li>
      ))}
      <li>
        <Button look="quiet" size="small" onClick={() => change(clearFilters)}>
          Clear all
        </Button>
      </li>
    </ul>
  )
}
