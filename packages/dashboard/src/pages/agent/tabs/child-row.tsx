import { formatAgentName, type FleetEntry } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { agentLink } from '../../../format/agent-link.ts'
import { formatMoney } from '../../../format/money.ts'
import { AgentBadge } from '../../../ui/phase-badge.tsx'
import { Ago } from '../../../ui/time.tsx'
import { Cell } from '../table.tsx'

export const CHILD_COLUMNS = [
  { title: 'Agent' },
  { title: 'Phase' },
  { title: 'Asks' },
  { title: 'Tasks', isNumber: true },
  { title: 'Cost', isNumber: true },
  { title: 'Progress', isNumber: true },
]

/** Memoized: an entry stays the same object until it changes. */
export const ChildRow = memo(function ChildRow({
  entry,
  depth,
}: {
  readonly entry: FleetEntry
  readonly depth: number
}) {
  const { agentId, needsInput, pendingReason, openTasks, totalTasks, cost, progressAt } = entry
  return (
    <tr>
      <Cell>
        <span style={{ paddingLeft: `${depth * 1.25}rem` }} className="block max-w-64 truncate">
          <Link
            {...agentLink(agentId)}
            title={formatAgentName(agentId)}
            className="font-medium text-accent-text underline"
          >
            {agentId.agent.at(-1)}
          </Link>
        </span>
      </Cell>
      <Cell>
        <AgentBadge entry={entry} />
      </Cell>
      <Cell className="max-w-64">
        <span className="line-clamp-2 break-words" title={needsInput || pendingReason}>
          {needsInput || pendingReason}
        </span>
      </Cell>
      <Cell isNumber>{totalTasks === 0 ? '–' : `${totalTasks - openTasks}/${totalTasks}`}</Cell>
      <Cell isNumber>{formatMoney(cost)}</Cell>
      <Cell isNumber>
        <Ago time={progressAt} />
      </Cell>
    </tr>
  )
})
