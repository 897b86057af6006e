import { ChevronRight } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import { AgentAnchor } from '../agent-anchor.tsx'
import type { FleetRow } from '../fleet-row.ts'

const INDENT_REM = 1.25

export function NameCell({
  line,
  isTree,
  isTabStop,
  onExpand,
  className,
}: {
  readonly line: FleetRow
  readonly isTree: boolean
  readonly isTabStop: boolean
  readonly onExpand: (key: string, isExpanded: boolean) => void
  readonly className: string
}) {
  const { item, name, level, children, isExpanded } = line
  const anchor = (
    <AgentAnchor
      agentId={item.entry.agentId}
      title={`${item.title} · ${item.entry.agentId.account}`}
      tabIndex={!isTree && isTabStop ? 0 : -1}
      {...(!isTree && { 'data-row-focus': item.key })}
      className="inline-block max-w-full min-w-0 truncate py-1.5 align-middle font-medium group-hover:text-accent-text hover:underline"
    >
      {name}
    </AgentAnchor>
  )
  const classes = `text-left font-normal ${className}`
  if (!isTree) {
    return (
      <th scope="row" className={classes}>
        {anchor}
      </th>
    )
  }
  return (
    <th scope="row" className={classes}>
      <div
        className="flex min-w-0 items-center gap-1"
        style={{ paddingLeft: `${(level - 1) * INDENT_REM}rem` }}
      >
        <button
          type="button"
          tabIndex={-1}
          aria-label={isExpanded ? `Collapse ${name}` : `Expand ${name}`}
          onClick={() => onExpand(item.key, !isExpanded)}
          className={classNames(
            '-ml-1 inline-flex size-6 shrink-0 items-center justify-center rounded text-muted hover:bg-raised hover:text-ink',
            children === 0 && 'invisible',
          )}
        >
          <ChevronRight
            size={16}
            aria-hidden
            className={classNames(
              'transition-transform motion-reduce:transition-none',
              isExpanded && 'rotate-90',
            )}
          />
        </button>
        {anchor}
        {children > 0 && !isExpanded && (
          <span className="shrink-0 rounded-full bg-raised px-1.5 text-xs text-muted tabular-nums">
            {children}
            <span className="sr-only"> {children === 1 ? 'child' : 'children'}</span>
          </span>
        )}
      </div>
    </th>
  )
}
