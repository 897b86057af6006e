import type { Task } from '@skein/client'
import { Ban, Circle, CircleCheck, CircleDot, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { describeActivation, findBlockers, isOpen, TASK_LABELS, visibleTasks } from './task-states.ts'

/** The tasks in order, each with its blockers. */
export function Checklist({
  tasks,
  isBrief = false,
  renderActions,
}: {
  readonly tasks: readonly Task[]
  /** Only the lines, for a side column. */
  readonly isBrief?: boolean
  readonly renderActions?: ((task: Task) => ReactNode) | undefined
}) {
  return (
    <ul className="divide-y divide-line">
      {visibleTasks(tasks).map((task) => (
        <li key={task.id} className="flex min-w-0 items-start gap-2.5 px-4 py-2">
          <TaskMark task={task} isBlocked={isOpen(task) && findBlockers(task, tasks).length > 0} />
          <div className="min-w-0 flex-1">
            <p className={classNames('text-sm break-words', !isOpen(task) && 'text-muted line-through')}>
              {task.subject}
            </p>
            {!isBrief && <TaskFacts task={task} />}
            <Blockers task={task} tasks={tasks} />
          </div>
          {renderActions?.(task)}
        </li>
      ))}
    </ul>
  )
}

function TaskFacts({ task }: { readonly task: Task }) {
  const facts = [
    task.id,
    describeActivation(task),
    task.persona !== '' && `from the persona ${task.persona}`,
    task.ephemeral && 'for this run only',
  ].filter((fact) => fact !== '' && fact !== false)
  return (
    <>
      {task.description !== '' && (
        <p className="text-xs break-words whitespace-pre-wrap text-muted">{task.description}</p>
      )}
      <p className="text-xs break-words text-muted">{facts.join(' · ')}</p>
    </>
  )
}

function Blockers({ task, tasks }: { readonly task: Task; readonly tasks: readonly Task[] }) {
  const blockers = isOpen(task) ? findBlockers(task, tasks) : []
  if (blockers.length === 0) return null
  return <p className="text-xs break-words text-waiting">Blocked by {blockers.join(', ')}</p>
}

function TaskMark({ task, isBlocked }: { readonly task: Task; readonly isBlocked: boolean }) {
  const [Icon, color, label] = markOf(task, isBlocked)
  return <Icon size={16} role="img" aria-label={label} className={classNames('mt-0.5 shrink-0', color)} />
}

function markOf({ status }: Task, isBlocked: boolean): readonly [LucideIcon, string, string] {
  if (status === 'TASK_STATUS_COMPLETED') return [CircleCheck, 'text-completed', TASK_LABELS[status]]
  if (status === 'TASK_STATUS_IN_PROGRESS') return [CircleDot, 'text-running', TASK_LABELS[status]]
  if (isBlocked) return [Ban, 'text-waiting', 'Blocked']
  return [Circle, 'text-muted', TASK_LABELS[status]]
}
