import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import type { FleetItem } from '../../live/fleet-item.ts'
import { Button } from '../../ui/button.tsx'

export function TreeActions({
  items,
  hasCollapsed,
  onCollapse,
}: {
  readonly items: readonly FleetItem[]
  readonly hasCollapsed: boolean
  readonly onCollapse: (keys: ReadonlySet<string>) => void
}) {
  return (
    <div className="-my-2 flex gap-1">
      <Button look="quiet" size="small" disabled={!hasCollapsed} onClick={() => onCollapse(new Set())}>
        <ChevronsUpDown size={14} aria-hidden />
        Expand all
      </Button>
      <Button
        look="quiet"
        size="small"
        onClick={() => onCollapse(new Set(items.map(({ parentKey }) => parentKey)))}
      >
        <ChevronsDownUp size={14} aria-hidden />
        Collapse all
      </Button>
    </div>
  )
}
