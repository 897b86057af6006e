import { ApplicationFailure, Context, type Info } from '@temporalio/activity'
import type { Cause } from './cause.ts'
import { isOpen } from './workflow-state.ts'

/**
 * Why an attempt shall end. `gone`: the service no longer knows it, because its workflow has ended or because another
 * attempt has taken its place.
 */
export type Cancellation = 'requested' | 'shutdown' | 'gone' | 'other'

/** One attempt of an activity, as far as these activities need to know. */
export interface Attempt {
  readonly cause: Cause
  /** From 1. */
  readonly number: number
  /** What an earlier attempt said in its last heartbeat. */
  readonly previousDetails: unknown
  readonly heartbeatTimeoutMs: number
  readonly signal: AbortSignal
  heartbeat(details: unknown): void
  /** Once the signal is aborted. */
  cancellation(): Cancellation
  isWorkflowOpen(): Promise<boolean>
}

/** For an activity that takes long. */
export function currentAttempt(): Attempt {
  const context = Context.current()
  const { info, cancellationSignal: signal } = context
  const cause = causeOf(info)
  return {
    cause,
    number: info.attempt,
    previousDetails: info.heartbeatDetails,
    heartbeatTimeoutMs: requireHeartbeats(info),
    signal,
    heartbeat: (details) => context.heartbeat(details),
    cancellation: () => readCancellation(context),
    isWorkflowOpen: () => isOpen(context.client, cause),
  }
}

/** Of the current activity. */
export function currentCause(): Cause {
  return causeOf(Context.current().info)
}

function causeOf({ namespace, workflowExecution, activityId }: Info): Cause {
  if (workflowExecution === undefined) throw refuse('Call this activity from a workflow.')
  return { namespace, ...workflowExecution, activityId }
}

/** Without, nobody notices for days that a worker has died, and a cancellation never arrives. */
function requireHeartbeats({ heartbeatTimeoutMs, isLocal }: Info): number {
  if (isLocal) throw refuse('Call this activity with proxySkein or proxyActivities, not as a local activity.')
  if (heartbeatTimeoutMs) return heartbeatTimeoutMs
  throw refuse('Set heartbeatTimeout in the options of this activity, for example to 30 seconds.')
}

function refuse(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'SkeinActivityOptions')
}

function readCancellation({ cancellationDetails }: Context): Cancellation {
  if (cancellationDetails?.cancelRequested) return 'requested'
  if (cancellationDetails?.workerShutdown) return 'shutdown'
  if (cancellationDetails?.notFound) return 'gone'
  return 'other'
}
