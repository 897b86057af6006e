import type { AgentStatus } from '@skein/client'
import type { TimelineSnapshot, TimelineStore } from '../../../live/timeline-store.ts'
import { Card } from '../../../ui/card.tsx'
import { Checklist } from '../checklist.tsx'
import { countFollowUps } from '../count-follow-ups.ts'
import { Conversation } from '../conversation/conversation.tsx'
import { QueueList } from '../queue-list.tsx'
import { countOpenTasks, visibleTasks } from '../task-states.ts'

/** What was said and done; on wide screens with checklist and queue beside it. */
export function ConversationTab({
  status,
  timeline,
  store,
  event,
}: {
  readonly status: AgentStatus
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
  readonly event: number | undefined
}) {
  const tasks = visibleTasks(status.tasks)
  const hasAside = tasks.length > 0 || status.followUps.length > 0
  return (
    <div className="flex h-full min-h-0">
      <div className="h-full min-w-0 flex-1">
        <Conversation timeline={timeline} store={store} event={event} />
      </div>
      {hasAside && (
        <aside
          aria-label="Checklist and queue"
          tabIndex={0}
          className="flex w-80 shrink-0 flex-col gap-4 overflow-y-auto pr-4 pb-4 max-xl:hidden"
        >
          {tasks.length > 0 && (
            <Card title={`Checklist · ${countOpenTasks(tasks)} open`}>
              <Checklist tasks={status.tasks} isBrief />
            </Card>
          )}
          {status.followUps.length > 0 && (
            <Card title={`Queue · ${countFollowUps(status)}`}>
              <QueueList followUps={status.followUps} isBrief />
            </Card>
          )}
        </aside>
      )}
    </div>
  )
}
