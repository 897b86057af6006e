import { Link } from '@tanstack/react-router'
import { Bird, SearchX } from 'lucide-react'
import { canDrive } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { clearFilters, type FleetSearch } from './fleet-search.ts'
import { listChips } from './filters/list-chips.ts'
import { useChangeSearch } from './filters/use-change-search.ts'

export function LoadingFleet() {
  return (
    <div role="status" className="rounded-xl border border-line bg-surface p-4">
      <span className="sr-only">Loading agents…</span>
      <div aria-hidden className="flex flex-col gap-3">
        {[70, 55, 80, 60, 45].map((width) => (
          <div key={width} className="breathe h-5 rounded bg-raised" style={{ width: `${width}%` }} />
        ))}
      </div>
    </div>
  )
}

export function EmptyFleet({ search }: { readonly search: FleetSearch }) {
  const identity = useIdentity()
  const change = useChangeSearch()
  if (listChips(search).length > 0) {
    return (
      <EmptyState title="No matching agents" icon={<SearchX size={32} aria-hidden />}>
        <p className="mb-3">Remove a filter, or include agents that ended earlier.</p>
        <div className="flex justify-center gap-2">
          <Button onClick={() => change(clearFilters)}>Clear all filters</Button>
          {search.ended !== true && (
            <Button onClick={() => change((before) => ({ ...before, ended: true }))}>Include ended</Button>
          )}
        </div>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No agents running" icon={<Bird size={32} aria-hidden />}>
      <p className="mb-3">New agents appear here immediately, and stay for an hour after they end.</p>
      <div className="flex justify-center gap-2">
        {canDrive(identity) && (
          <Link to="/spawn" className={buttonClasses({ look: 'primary' })}>
            Spawn an agent
          </Link>
        )}
        <Button onClick={() => change((before) => ({ ...before, ended: true }))}>Show ended agents</Button>
      </div>
    </EmptyState>
  )
}
