import { SkeinError, type QuotaDocument, type Task } from '@skein/contract'
import { byteSize } from './byte-size.ts'
import { isLive, type AgentState, type PendingFollowUp } from './state.ts'

export type Quota = Pick<
  QuotaDocument,
  | 'liveAgents'
  | 'childrenPerAgent'
  | 'queuedFollowUpsPerAgent'
  | 'queuedBytesPerAgent'
  | 'queuedBytes'
  | 'tasksPerAgent'
  | 'taskBytesPerAgent'
  | 'schedules'
  | 'triggers'
>

/** Rejects anything above a tenant's limit. */
export function requireWithin(quota: Quota, limit: keyof Quota, count: number): void {
  if (count <= quota[limit]) return
  throw new SkeinError('QUOTA_EXCEEDED', {
    message: `The limit ${limit} of ${quota[limit]} has been reached.`,
    metadata: { limit, value: quota[limit].toString() },
    retryDelayMs: 10_000,
  })
}

/** Pending messages, including deferred ones. */
function countQueuedBytes(pending: readonly PendingFollowUp[]): number {
  return pending.reduce((total, { bytes }) => total + bytes, 0)
}

/** Bytes of an agent's pending messages. An ended agent delivers none. */
export function queuedBytesOf(agent: AgentState | undefined): number {
  return isLive(agent) ? countQueuedBytes([...agent.queue, ...agent.deferred]) : 0
}

/** The whole checklist is read and written with every change to its agent. */
export function requireTaskRoom(tasks: readonly Task[], quota: Quota): void {
  requireWithin(quota, 'taskBytesPerAgent', byteSize(tasks))
}

/** Tasks on the checklist plus those in pending messages: an accepted message must still fit when delivered. */
export function countTasks(tasks: readonly Task[], pending: readonly PendingFollowUp[]): number {
  const listed = tasks.filter(({ status }) => status !== 'TASK_STATUS_DELETED').length
  return pending.reduce((total, { taskCount }) => total + taskCount, listed)
}
