import type { RunEndReason } from '@skein/contract'
import { decide } from '../agent/change.ts'
import type { AgentFailure, MeteredUsage, RunLimit } from '../agent/state.ts'
import { beginReport, saveSession, type Attempt, type EndContext, type ReportDecision } from './attempt.ts'
import { addProgress, type ProgressEvent, type SteerReport } from './report-progress.ts'
import { backOffMs, fail, isStopping, mayRetry, pause, rest, retry, stopped } from './run-endings.ts'

/** How a run ended, as reported by its runner. */
export interface RunOutcome {
  readonly reason:
    | Extract<RunEndReason, 'finished' | 'asked' | 'rested' | 'interrupted' | 'killed' | 'failed' | 'limit'>
    | 'paused'
  readonly message: string
  readonly needsInput: string
  readonly output: string
  readonly usage: MeteredUsage | undefined
  readonly session: string | undefined
  /** Reason `limit`: which one. */
  readonly limit: RunLimit
  /** Reason `rested`: the children the agent awaits. */
  readonly awaits: readonly string[]
  readonly error?: AgentFailure & { readonly isRetryable: boolean }
  /** Earliest retry of a failed or paused run, such as the reset of a rate limit. */
  readonly retryAt?: number
}

export function endRun(
  {
    runId,
    attempt,
    events = [],
    outcome,
  }: Attempt & {
    /** What happened since the last report. */
    events?: readonly (ProgressEvent | SteerReport)[]
    outcome: RunOutcome
  },
  context: EndContext,
): ReportDecision {
  const current = { runId, attempt }
  const change = beginReport(context, current)
  if (!change) return decide({ isCurrent: false })
  addProgress(change, current, events)
  const { agent } = change
  if (outcome.usage) change.emit({ type: 'run.metered', runId, ...outcome.usage })
  saveSession(change, current, outcome.session)
  const { reason } = outcome
  if (reason === 'paused') return pause(change, current, outcome, context)
  if (reason !== 'failed') return rest(change, current, { ...outcome, reason }, context)
  const { code = 'unknown', message = outcome.message, isRetryable = false } = outcome.error ?? {}
  const error = { code, message }
  if (isRetryable && isStopping(agent)) return rest(change, current, stopped(agent, outcome), context)
  if (isRetryable && mayRetry(agent)) {
    change.emit({ type: 'run.attempt-failed', ...current, error })
    return retry(
      change,
      current,
      Math.max(outcome.retryAt ?? 0, context.now + backOffMs(change.agent)),
      context,
    )
  }
  return fail(change, current, { ...outcome, reason, error }, context)
}
