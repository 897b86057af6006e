import type { AgentStatus } from '@skein/client'
import type { ReactNode } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { AgentBadge } from '../../ui/phase-badge.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { Facts } from './facts.tsx'
import { PendingReason } from './pending-reason.tsx'

export function AgentHeader({
  status,
  team = '',
  isLinked,
  actions,
  budgetAction,
}: {
  readonly status: AgentStatus
  /** That owns the workspace; empty for none. */
  readonly team?: string
  /** Whether the reader may open the ancestors' pages. */
  readonly isLinked: boolean
  readonly actions?: ReactNode
  readonly budgetAction?: ReactNode
}) {
  const { agentId, error } = status
  return (
    <header className="flex shrink-0 flex-col gap-2 px-4 pt-3 pb-2">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <Breadcrumb agentId={agentId} team={team} isLinked={isLinked} />
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <h1 className="min-w-0 text-lg font-semibold tracking-tight break-words">
              {agentId.agent.at(-1)}
            </h1>
            <span role="status" aria-label="Phase">
              <AgentBadge entry={status} />
            </span>
            <PendingReason status={status} />
          </div>
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      <Facts status={status} budgetAction={budgetAction} />
      {error.message !== '' && (
        <Notice tone="error" className="max-h-28 overflow-y-auto break-words">
          {error.message} {error.code !== '' && <code className="text-xs">{error.code}</code>}
        </Notice>
      )}
    </header>
  )
}
