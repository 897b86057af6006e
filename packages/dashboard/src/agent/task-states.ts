import type { Task, TaskStatus } from '@skein/client'

export const TASK_LABELS: Readonly<Record<TaskStatus, string>> = {
  TASK_STATUS_UNSPECIFIED: 'Unknown',
  TASK_STATUS_PENDING: 'Open',
  TASK_STATUS_IN_PROGRESS: 'In progress',
  TASK_STATUS_COMPLETED: 'Done',
  TASK_STATUS_DELETED: 'Deleted',
}

export function isOpen({ status }: Task): boolean {
  return status !== 'TASK_STATUS_COMPLETED' && status !== 'TASK_STATUS_DELETED'
}

export function countOpenTasks(tasks: readonly Task[]): number {
  return tasks.filter(isOpen).length
}

export function visibleTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(({ status }) => status !== 'TASK_STATUS_DELETED')
}

/** The open tasks blocking this one, by subject if known. */
export function findBlockers({ blockedBy }: Task, tasks: readonly Task[]): readonly string[] {
  return blockedBy.flatMap((id) => {
    const blocker = tasks.find((task) => task.id === id)
    if (blocker === undefined) return [id]
    return isOpen(blocker) ? [blocker.subject] : []
  })
}

/** What makes a task active; empty if it always is. */
export function describeActivation({ activation }: Task): string {
  const { filesModified } = activation
  if (filesModified === undefined) return ''
  const { pattern = '' } = filesModified
  return pattern === '' ? 'Active once a file is pushed' : `Active once ${pattern} is pushed`
}
