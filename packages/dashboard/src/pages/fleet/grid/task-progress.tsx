import type { FleetEntry } from '@skein/client'

/** How much of the checklist is done. */
export function TaskProgress({ entry }: { readonly entry: Pick<FleetEntry, 'openTasks' | 'totalTasks'> }) {
  const { openTasks, totalTasks } = entry
  if (totalTasks === 0) return <span className="text-muted">–</span>
  const done = Math.max(0, totalTasks - openTasks)
  return (
    <span className="flex items-center gap-1.5 tabular-nums" title={`${done} of ${totalTasks} tasks done`}>
      <span aria-hidden className="h-1.5 w-9 shrink-0 overflow-hidden rounded-full bg-raised">
        <span className="block h-full bg-completed" style={{ width: `${(done / totalTasks) * 100}%` }} />
      </span>
      {done}/{totalTasks}
    </span>
  )
}
