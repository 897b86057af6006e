import type { Task, TaskStatus } from '@skein/client'
import { ListChecks } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Checklist } from '../checklist.tsx'
import { useChange, type Drive } from '../drive.ts'
import { TabPage } from '../tab-page.tsx'
import { countOpenTasks, isOpen, visibleTasks } from '../task-states.ts'
import { NewTaskForm } from './new-task-form.tsx'

export function TasksTab({
  tasks,
  drive,
  isEnded,
}: {
  readonly tasks: readonly Task[]
  readonly drive: Drive | undefined
  readonly isEnded: boolean
}) {
  const shown = visibleTasks(tasks)
  const canChange = drive !== undefined && !isEnded
  return (
    <TabPage label="Tasks">
      <Card title={`Checklist · ${countOpenTasks(tasks)} of ${shown.length} open`}>
        {shown.length === 0 ? (
          <EmptyState title="The checklist is empty" icon={<ListChecks size={28} aria-hidden />}>
            The agent cannot complete while tasks are open. It can add its own.
          </EmptyState>
        ) : (
          <Checklist
            tasks={tasks}
            renderActions={canChange ? (task) => <TaskActions task={task} drive={drive} /> : undefined}
          />
        )}
      </Card>
      {canChange && <NewTaskForm tasks={shown} drive={drive} />}
    </TabPage>
  )
}

function TaskActions({ task, drive }: { readonly task: Task; readonly drive: Drive }) {
  const update = useChange(drive, (status: TaskStatus) => drive.agent.updateTasks([{ id: task.id, status }]))
  const spoken = <span className="sr-only">: {task.subject}</span>
  return (
    <div className="flex shrink-0 gap-1.5">
      {isOpen(task) ? (
        <Button size="small" isBusy={update.isPending} onClick={() => update.mutate('TASK_STATUS_COMPLETED')}>
          Done{spoken}
        </Button>
      ) : (
        <Button
          size="small"
          isBusy={update.isPending}
          // The service reopens a completed task only as in progress.
          onClick={() => update.mutate('TASK_STATUS_IN_PROGRESS')}
        >
          Reopen{spoken}
        </Button>
      )}
      <Button
        size="small"
        look="quiet"
        isBusy={update.isPending}
        onClick={() => update.mutate('TASK_STATUS_DELETED')}
      >
        Delete{spoken}
      </Button>
    </div>
  )
}
