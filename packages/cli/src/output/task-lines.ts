import type { Task } from '@skein/client'
import type { Io } from '../io.ts'
import { shorten } from './clean-text.ts'

const MARKS: Readonly<Record<string, string>> = {
  TASK_STATUS_PENDING: '☐',
  TASK_STATUS_IN_PROGRESS: '◐',
  TASK_STATUS_COMPLETED: '☑',
  TASK_STATUS_DELETED: '☒',
}

/** One line for each task, in order. */
export function taskLines(io: Io, tasks: readonly Task[]): string[] {
  return tasks.map((task) => {
    const blocked =
      task.blockedBy.length > 0 ? io.paint('dim', ` waits for ${task.blockedBy.join(', ')}`) : ''
    const isOver = task.status === 'TASK_STATUS_COMPLETED' || task.status === 'TASK_STATUS_DELETED'
    const subject = shorten(task.subject, 100)
    return `${markOf(task)} ${isOver ? io.paint('dim', subject) : subject}  ${io.paint('dim', task.id)}${blocked}`
  })
}

export function markOf({ status }: Task): string {
  return MARKS[status] ?? '☐'
}
