import { SkeinError, type QuotaDocument, type Task } from '@skein/contract'
import type { PendingFollowUp } from './state.ts'

export type Quota = Pick<
  QuotaDocument,
  'liveAgents' | 'childrenPerAgent' | 'queuedFollowUpsPerAgent' | 'tasksPerAgent'
>

/** Refuses what would go over a limit of the tenant. */
export function requireWithin(quota: Quota, limit: keyof Quota, count: number): void {
  if (count <= quota[limit]) return
  throw new SkeinError('QUOTA_EXCEEDED', {
    message: `The limit ${limit} of ${quota[limit]} is reached.`,
    metadata: { limit, value: quota[limit].toString() },
    retryDelayMs: 10_000,
  })
}

/** Tasks on the checklist and tasks that messages will bring: what is accepted must fit when it is delivered. */
export function countTasks(tasks: readonly Task[], pending: readonly PendingFollowUp[]): number {
  const listed = tasks.filter(({ status }) => status !== 'TASK_STATUS_DELETED').length
  return pending.reduce((total, { taskCount }) => total + taskCount, listed)
}
