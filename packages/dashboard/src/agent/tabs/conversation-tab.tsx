import type { AgentStatus } from '@skein/client'
import { useMemo } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../../live/timeline-store.ts'
import { Card } from '../../ui/card.tsx'
import { Checklist } from '../checklist.tsx'
import { countFollowUps } from '../count-follow-ups.ts'
import { Conversation } from '../conversation/conversation.tsx'
import { FailedRunContext } from '../conversation/failed-run.ts'
import type { Drive } from '../drive.ts'
import { QueueList } from '../queue-list.tsx'
import { RetryButton } from '../retry-button.tsx'
import { countOpenTasks, visibleTasks } from '../task-states.ts'

/** The conversation, with checklist and queue next to it on wide screens. */
export function ConversationTab({
  status,
  timeline,
  store,
  event,
  drive,
}: {
  readonly status: AgentStatus
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
  readonly event: number | undefined
  readonly drive?: Drive | undefined
}) {
  const tasks = visibleTasks(status.tasks)
  const failed = useFailedRun(status, drive)
  return (
    <div className="flex h-full min-h-0">
      <div className="h-full min-w-0 flex-1">
        <FailedRunContext value={failed}>
          <Conversation timeline={timeline} store={store} event={event} tasks={status.tasks} />
        </FailedRunContext>
      </div>
      {hasAside(status) && (
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

/** Whether something is shown next to the conversation. */
export function hasAside({ tasks, followUps }: AgentStatus): boolean {
  return visibleTasks(tasks).length > 0 || followUps.length > 0
}

function useFailedRun({ phase, run, error }: AgentStatus, drive: Drive | undefined) {
  const { runId } = run
  const { code, message } = error
  return useMemo(
    () =>
      phase === 'PHASE_FAILED'
        ? { runId, code, message, action: drive !== undefined && <RetryButton drive={drive} /> }
        : undefined,
    [phase, runId, code, message, drive],
  )
}
