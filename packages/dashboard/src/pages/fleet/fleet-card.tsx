import { isTerminal, type FleetPullRequest } from '@skein/client'
import { formatCount, formatMoney } from '../../format/money.ts'
import { PullRequestMark } from '../../agent/pull-requests/pull-request-mark.tsx'
import { classNames } from '../../ui/class-names.ts'
import { AgentBadge } from '../../ui/phase-badge.tsx'
import { Ago } from '../../ui/time.tsx'
import { AgentAnchor } from './agent-anchor.tsx'
import { AgentSays } from './agent-says.tsx'
import type { FleetRow } from './fleet-row.ts'

export function FleetCard({
  row,
  pulls,
}: {
  readonly row: FleetRow
  readonly pulls: FleetPullRequest | undefined
}) {
  const { entry } = row.item
  return (
    <AgentAnchor
      agentId={entry.agentId}
      className={classNames(
        'flex h-full min-w-0 flex-col justify-between gap-1 rounded-xl border border-line px-3 py-2.5 text-sm',
        isTerminal(entry.phase) ? 'bg-canvas text-muted' : 'bg-surface',
        !row.isMatch && 'opacity-65',
      )}
    >
      <span className="flex min-w-0 items-center justify-between gap-2">
        <span className="truncate font-medium">{row.name}</span>
        <AgentBadge entry={entry} />
      </span>
      <AgentSays entry={entry} />
      <span className="flex items-center gap-3 text-xs text-muted tabular-nums">
        <span>{formatMoney(entry.cost)}</span>
        {/* There is no room for both. */}
        {pulls === undefined ? (
          <span>{formatCount(entry.totalTokens)} tokens</span>
        ) : (
          <PullRequestMark pulls={pulls} />
        )}
        {entry.totalTasks > 0 && (
          <span>
            {entry.totalTasks - entry.openTasks}/{entry.totalTasks} tasks
          </span>
        )}
        <span className="ml-auto">
          <Ago time={entry.progressAt} />
        </span>
      </span>
    </AgentAnchor>
  )
}
