import type { Task } from '@skein/client'
import { UsageError } from './command-line/usage-error.ts'

/** Finds a task by its number in the list, its subject or the start of it, or its id. */
export function findTask(tasks: readonly Task[], wanted: string): Task {
  const byNumber = /^[1-9]\d{0,3}$/.test(wanted) ? tasks[Number(wanted) - 1] : undefined
  const exact = tasks.find(({ id }) => id === wanted) ?? byNumber
  if (exact) return exact
  const text = wanted.trim().toLowerCase()
  const alike = tasks.filter(({ status }) => status !== 'TASK_STATUS_DELETED')
  const same = alike.filter(({ subject }) => subject.toLowerCase() === text)
  const found = same.length > 0 ? same : alike.filter(({ subject }) => subject.toLowerCase().includes(text))
  const [only, ...others] = found
  if (only && others.length === 0 && text !== '') return only
  throw new UsageError(
    only ? `Several tasks match ${JSON.stringify(wanted)}.` : `No task matches ${JSON.stringify(wanted)}.`,
    tasks.length === 0
      ? 'The checklist is empty.'
      : `The tasks are: ${tasks.map(({ subject }, index) => `${index + 1} ${subject}`).join(', ')}.`,
    only ? 'INVALID_ARGUMENT' : 'NOT_FOUND',
  )
}
