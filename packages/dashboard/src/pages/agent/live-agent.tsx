import type { Agent } from '@skein/client'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { useWorkspaceTeam } from '../../catalog/workspace-teams.ts'
import { ConnectionNotice } from '../../live/connection.tsx'
import { useTimeline } from '../../live/use-timeline.ts'
import { canDriveAgent } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { useSignOutAt } from '../../session/use-sign-out-at.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { AgentActions } from './header/agent-actions.tsx'
import { AgentHeader } from '../../agent/header/agent-header.tsx'
import { BudgetButton } from './header/budget-button.tsx'
import { AgentFoot } from './agent-foot.tsx'
import { BrokenAgent, isMissing, MissingAgent } from '../../agent/agent-states.tsx'
import { AgentTabs } from './agent-tabs.tsx'
import { PullRequestCard } from './pull-request-card.tsx'
import type { Drive } from '../../agent/drive.ts'
import { hasAside } from '../../agent/tabs/conversation-tab.tsx'

const REASON_MS = 10_000

export function LiveAgent({ agent }: { readonly agent: Agent }) {
  const { store, timeline } = useTimeline(agent)
  const identity = useIdentity()
  const team = useWorkspaceTeam(agent.id.workspace)
  const { tab } = useSearch({ from: '/shell/agents/$provider/$account/$workspace/$' })
  const { status, error, connection } = timeline
  const canDrive = status !== undefined && canDriveAgent(identity, status.agentId)
  const drive = useMemo<Drive | undefined>(
    () => (canDrive ? { agent, refresh: store.refreshStatus } : undefined),
    [agent, store, canDrive],
  )
  useSignOutAt(error)
  useFreshReason(status?.phase === 'PHASE_PENDING', store.refreshStatus)
  if (isMissing(error)) return <MissingAgent name={agent.name} />
  if (status === undefined) {
    return error === undefined ? <LoadingPage /> : <BrokenAgent error={error} onRetry={() => store.start()} />
  }
  return (
    <div className="flex h-[calc(100dvh-4rem)] min-h-0 min-w-0 flex-col lg:h-dvh">
      <ConnectionNotice state={connection} />
      {error !== undefined && <ErrorNotice error={error} className="m-2" />}
      <AgentHeader
        status={status}
        team={team}
        isLinked
        actions={<AgentActions status={status} drive={drive} />}
        budgetAction={drive !== undefined && <BudgetButton status={status} drive={drive} />}
      />
      <PullRequestCard agent={agent} status={status} />
      <AgentTabs agent={agent} status={status} timeline={timeline} store={store} drive={drive} />
      <AgentFoot status={status} drive={drive} hasAside={tab === undefined && hasAside(status)} />
    </div>
  )
}

/** The pending reason can change without an event: runners come and go. */
function useFreshReason(isPending: boolean, refresh: () => void): void {
  useEffect(() => {
    if (!isPending) return undefined
    const timer = window.setInterval(refresh, REASON_MS)
    return () => window.clearInterval(timer)
  }, [isPending, refresh])
}
