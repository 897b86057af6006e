import { decide } from '../agent/change.ts'
import { beginReport, type Attempt, type EndContext, type ReportDecision } from './attempt.ts'
import { backOffMs, fail, isStopping, mayRetry, pause, rest, retry, stopped } from './run-endings.ts'

/** The lease expired. Nobody knows what became of the attempt, so the next one takes over its session. */
export function loseAttempt(
  { runId, attempt }: Attempt,
  context: EndContext & {
    /** Whether the tenant is or was just suspended: the runner was told to let go, which counts against nobody. */
    readonly isHeld: boolean
  },
): ReportDecision {
  const current = { runId, attempt }
  const change = beginReport(context, current)
  if (!change) return decide({ isCurrent: false })
  const { agent } = change
  if (context.isHeld) return pause(change, current, SUSPENDED, context)
  change.emit({ type: 'run.attempt-lost', ...current })
  if (isStopping(agent)) return rest(change, current, stopped(agent, LOST), context)
  if (mayRetry(agent)) return retry(change, current, context.now + backOffMs(change.agent), context)
  return fail(change, current, { ...LOST, reason: 'lost' }, context)
}

const SUSPENDED = { message: 'The tenant was suspended.', output: '' }

const LOST = {
  message: '',
  output: '',
  error: { code: 'lost', message: 'Every runner that took the run lost its lease.' },
}
