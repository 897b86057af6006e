import type { Agent, AgentStatus } from '@skein/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../../live/timeline-store.ts'
import { Tabs, type Tab } from '../../ui/tabs.tsx'
import { readAgentTab, type AgentTab } from './agent-search.ts'
import { ConversationTab } from '../../agent/tabs/conversation-tab.tsx'
import { EventAddressContext } from '../../agent/conversation/event-place.tsx'
import type { Drive } from '../../agent/drive.ts'
import { countFollowUps } from '../../agent/count-follow-ups.ts'
import { collectBranches } from '../../agent/pushed-branches.ts'
import { BranchesTab } from '../../agent/tabs/branches-tab.tsx'
import { ChangesTab } from './changes/changes-tab.tsx'
import { ChildrenTab } from './tabs/children-tab.tsx'
import { QueueTab } from './tabs/queue-tab.tsx'
import { RunsTab } from './tabs/runs-tab.tsx'
import { SettingsTab } from './tabs/settings-tab.tsx'
import { TasksTab } from '../../agent/tabs/tasks-tab.tsx'
import { countOpenTasks } from '../../agent/task-states.ts'

const ROUTE = '/shell/agents/$provider/$account/$workspace/$'

interface Props {
  readonly agent: Agent
  readonly status: AgentStatus
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
  readonly drive: Drive | undefined
}

export function AgentTabs({ agent, status, timeline, store, drive }: Props) {
  const { tab: selected = 'conversation', event } = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: '/agents/$provider/$account/$workspace/$' })
  const { events } = timeline
  const branchCount = useMemo(() => collectBranches(events).length, [events])
  const addressOf = useCallback((sequence: number) => `${window.location.pathname}?event=${sequence}`, [])
  const select = (id: string): void => {
    const tab = readAgentTab(id)
    // Only the conversation has a place for the event.
    void navigate({ search: tab === undefined || tab === 'conversation' ? {} : { tab }, replace: true })
  }
  const tabs: readonly (Tab & { readonly id: AgentTab })[] = [
    {
      id: 'conversation',
      label: 'Conversation',
      content: (
        <ConversationTab status={status} timeline={timeline} store={store} event={event} drive={drive} />
      ),
    },
    {
      id: 'tasks',
      label: 'Tasks',
      count: countOpenTasks(status.tasks),
      content: <TasksTab tasks={status.tasks} drive={drive} isEnded={status.endTime !== ''} />,
    },
    {
      id: 'queue',
      label: 'Queue',
      count: countFollowUps(status),
      content: <QueueTab status={status} drive={drive} />,
    },
    {
      id: 'children',
      label: 'Children',
      content: <ChildrenTab status={status} canSpawn={drive !== undefined} />,
    },
    { id: 'runs', label: 'Runs', content: <RunsTab timeline={timeline} store={store} /> },
    { id: 'changes', label: 'Changes', content: <ChangesTab agent={agent} status={status} drive={drive} /> },
    {
      id: 'branches',
      label: 'Branches',
      count: branchCount,
      content: <BranchesTab timeline={timeline} store={store} />,
    },
    { id: 'settings', label: 'Settings', content: <SettingsTab status={status} events={events} /> },
  ]
  return (
    <EventAddressContext value={addressOf}>
      <Tabs label="About the agent" tabs={tabs} selected={selected} onSelect={select} />
    </EventAddressContext>
  )
}
