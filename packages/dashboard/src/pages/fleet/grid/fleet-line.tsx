import { isTerminal, type FleetPullRequest } from '@skein/client'
import { memo } from 'react'
import { formatCount, formatMoney } from '../../../format/money.ts'
import { PullRequestMark } from '../../../agent/pull-requests/pull-request-mark.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { AgentBadge } from '../../../ui/phase-badge.tsx'
import { formatMoment } from '../../../ui/time.tsx'
import { COLUMN_CLASSES } from './columns.ts'
import { hasSameFields, type FleetRow } from '../fleet-row.ts'
import { NameCell } from './name-cell.tsx'
import { SaysCell } from './says-cell.tsx'
import { TaskProgress } from './task-progress.tsx'

interface LineProps {
  readonly line: FleetRow
  readonly index: number
  /** Ages as text, which changes less often than the clock, so the row renders less often. */
  readonly progress: string
  readonly age: string
  readonly hasPulls: boolean
  readonly pulls: FleetPullRequest | undefined
  readonly isTree: boolean
  readonly isTabStop: boolean
  readonly onFocus: (key: string) => void
  readonly onExpand: (key: string, isExpanded: boolean) => void
}

/** In pixels: the grid uses it to compute which rows are visible. */
const CELL = 'h-[44px] border-b border-line px-3 tabular-nums'
const CELL_CLASSES = {
  agent: `${CELL} ${COLUMN_CLASSES.agent}`,
  phase: `${CELL} ${COLUMN_CLASSES.phase}`,
  says: CELL,
  pull: `${CELL} ${COLUMN_CLASSES.pull}`,
  tasks: `${CELL} ${COLUMN_CLASSES.tasks}`,
  cost: `${CELL} ${COLUMN_CLASSES.cost}`,
  tokens: `${CELL} ${COLUMN_CLASSES.tokens}`,
  progress: `${CELL} whitespace-nowrap ${COLUMN_CLASSES.progress}`,
  age: `${CELL} whitespace-nowrap ${COLUMN_CLASSES.age}`,
} as const

/** A row of the table. In the tree the row itself takes the focus, as screen readers expect. */
export const FleetLine = memo(function FleetLine({
  line,
  index,
  progress,
  age,
  hasPulls,
  pulls,
  isTree,
  isTabStop,
  onFocus,
  onExpand,
}: LineProps) {
  const { key, entry, tokens } = line.item
  const treeProps = isTree && {
    tabIndex: isTabStop ? 0 : -1,
    'data-row-focus': key,
    'aria-level': line.level,
    'aria-posinset': line.position,
    'aria-setsize': line.siblings,
    ...(line.children > 0 && { 'aria-expanded': line.isExpanded }),
  }
  const role = isTree ? 'gridcell' : undefined
  return (
    <tr
      aria-rowindex={index + 2}
      {...treeProps}
      onFocus={() => onFocus(key)}
      className={classNames(
        'group hover:bg-raised/60 focus-within:bg-raised/60 focus-visible:-outline-offset-2',
        !line.isMatch && 'opacity-65',
        isTerminal(entry.phase) && 'text-muted',
      )}
    >
      <NameCell
        line={line}
        isTree={isTree}
        isTabStop={isTabStop}
        onExpand={onExpand}
        className={CELL_CLASSES.agent}
      />
      <td role={role} className={CELL_CLASSES.phase}>
        <AgentBadge entry={entry} />
      </td>
      <SaysCell entry={entry} role={role} className={CELL_CLASSES.says} />
      {hasPulls && (
        <td role={role} className={CELL_CLASSES.pull}>
          {pulls !== undefined && <PullRequestMark pulls={pulls} link={{ tabIndex: isTabStop ? 0 : -1 }} />}
        </td>
      )}
      <td role={role} className={CELL_CLASSES.tasks}>
        <TaskProgress entry={entry} />
      </td>
      <td role={role} className={CELL_CLASSES.cost}>
        {formatMoney(entry.cost)}
      </td>
      <td role={role} className={CELL_CLASSES.tokens}>
        {formatCount(tokens)}
      </td>
      <td role={role} className={CELL_CLASSES.progress} title={formatMoment(entry.progressAt)}>
        {progress}
      </td>
      <td role={role} className={CELL_CLASSES.age} title={formatMoment(entry.createTime)}>
        {age}
      </td>
    </tr>
  )
}, isSameLine)

function isSameLine({ line: oldLine, ...before }: LineProps, { line, ...after }: LineProps): boolean {
  return hasSameFields(oldLine, line) && hasSameFields(before, after)
}
