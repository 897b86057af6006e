import type { Agent } from '@skein/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { ConnectionNotice } from '../../live/connection.tsx'
import { useTimeline } from '../../live/use-timeline.ts'
import { canDrive, identityQuery, isSignedOut, useIdentity } from '../../session/identity.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { AgentActions } from './header/agent-actions.tsx'
import { AgentHeader } from './header/agent-header.tsx'
import { BudgetButton } from './header/budget-button.tsx'
import { AgentFoot } from './agent-foot.tsx'
import { BrokenAgent, isMissing, MissingAgent } from './agent-states.tsx'
import { AgentTabs } from './agent-tabs.tsx'
import type { Drive } from './drive.ts'

export function LiveAgent({ agent }: { readonly agent: Agent }) {
  const { store, timeline } = useTimeline(agent)
  const identity = useIdentity()
  const drive = useMemo<Drive | undefined>(
    () => (canDrive(identity) ? { agent, refresh: store.refreshStatus } : undefined),
    [agent, store, identity],
  )
  const { status, error, connection } = timeline
  useSignOutAt(error)
  useTitle(agent.name)
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
        isLinked
        actions={<AgentActions status={status} drive={drive} />}
        budgetAction={drive !== undefined && <BudgetButton status={status} drive={drive} />}
      />
      <AgentTabs status={status} timeline={timeline} store={store} drive={drive} />
      <AgentFoot status={status} drive={drive} />
    </div>
  )
}

/** The watch is not a query, so nobody else notices that the session has ended. */
function useSignOutAt(error: unknown): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (isSignedOut(error)) queries.setQueryData(identityQuery.queryKey, null)
  }, [error, queries])
}

function useTitle(name: string): void {
  useEffect(() => {
    const before = document.title
    document.title = `${name} · Skein`
    return () => {
      document.title = before
    }
  }, [name])
}
