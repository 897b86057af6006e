import type { AgentId, Skein } from '@skein/client'
import { useMemo } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { ConnectionNotice } from '../../live/connection.tsx'
import { useTimeline } from '../../live/use-timeline.ts'
import { LocalTabs } from '../../ui/tabs.tsx'
import { BrokenAgent } from '../../agent/agent-states.tsx'
import { AgentHeader } from '../../agent/header/agent-header.tsx'
import { countOpenTasks } from '../../agent/task-states.ts'
import { BranchesTab } from '../../agent/tabs/branches-tab.tsx'
import { ConversationTab } from '../../agent/tabs/conversation-tab.tsx'
import { TasksTab } from '../../agent/tabs/tasks-tab.tsx'
import { DeadLink } from './dead-link.tsx'
import { isRefused } from './is-refused.ts'

/** The agent's page, without actions. */
export function SharedAgent({ guest, agentId }: { readonly guest: Skein; readonly agentId: AgentId }) {
  const agent = useMemo(() => guest.agent(agentId), [guest, agentId])
  const { store, timeline } = useTimeline(agent)
  const { status, error, connection } = timeline
  if (isRefused(error)) return <DeadLink />
  if (status === undefined) {
    return error === undefined ? <LoadingPage /> : <BrokenAgent error={error} onRetry={() => store.start()} />
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ConnectionNotice state={connection} />
      <AgentHeader status={status} isLinked={false} />
      <LocalTabs
        label="About the agent"
        tabs={[
          {
            id: 'conversation',
            label: 'Conversation',
            content: <ConversationTab status={status} timeline={timeline} store={store} event={undefined} />,
          },
          {
            id: 'tasks',
            label: 'Tasks',
            count: countOpenTasks(status.tasks),
            content: <TasksTab tasks={status.tasks} drive={undefined} isEnded={status.endTime !== ''} />,
          },
          {
            id: 'branches',
            label: 'Branches',
            content: <BranchesTab timeline={timeline} store={store} />,
          },
        ]}
      />
    </div>
  )
}
