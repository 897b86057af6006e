import type { Task } from '@skein/client'
import type { Io } from '../io.ts'
import { shorten } from './clean-text.ts'

const MARKS: Readonly<Record<string, string>> = {
  TASK_STATUS_PENDING: '☐',
  TASK_STATUS_IN_PROGRESS: '◐',
  TASK_STATUS_COMPLETED: '☑',
  TASK_STATUS_DELETED: '☒',
}
const INACTIVE_MARK = '◌'

/** One line per task, in order, with the number commands accept for it. */
export function taskLines(io: Io, tasks: readonly Task[], openTaskIds: readonly string[]): string[] {
  const numbers = new Map(tasks.map(({ id }, index) => [id, index + 1]))
  const open = new Set(openTaskIds)
  return tasks.map((task, index) => {
    const isOver = task.status === 'TASK_STATUS_COMPLETED' || task.status === 'TASK_STATUS_DELETED'
    const isInactive = !isOver && !open.has(task.id)
    const subject = shorten(task.subject, 100)
    const notes = [
      ...(isInactive ? [describeCondition(task)] : []),
      ...(task.blockedBy.length > 0 && !isOver
        ? [`after ${task.blockedBy.map((id) => numbers.get(id) ?? id).join(', ')}`]
        : []),
    ]
    return [
      io.paint('dim', String(index + 1).padStart(2)),
      isInactive ? INACTIVE_MARK : markOf(task),
      isOver || isInactive ? io.paint('dim', subject) : subject,
      ...(notes.length > 0 ? [io.paint('dim', `(${notes.join('; ')})`)] : []),
    ].join(' ')
  })
}

/** When an inactive task becomes active. */
function describeCondition({ activation }: Task): string {
  const { pattern = '' } = activation.filesModified ?? {}
  return `inactive until ${pattern === '' ? 'a file' : shorten(pattern, 60)} is pushed`
}

export function markOf({ status }: Task): string {
  return MARKS[status] ?? '☐'
}
