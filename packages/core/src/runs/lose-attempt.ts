import { AgentChange, decide, type Decision } from '../agent/change.ts'
import type { AgentState } from '../agent/state.ts'
import { isCurrent, type Attempt, type RunContext } from './attempt.ts'
import { backOffMs, fail, isStopping, mayRetry, rest, retry, stopped } from './run-endings.ts'

/** The lease expired. Nobody knows what became of the attempt, so the next one takes over its session. */
export function loseAttempt(
  { runId, attempt }: Attempt,
  context: RunContext & { subtree: readonly AgentState[] },
): Decision<{ isCurrent: boolean }> {
  const { agent, now } = context
  const current = { runId, attempt }
  if (!isCurrent(agent, current)) return decide({ isCurrent: false })
  const change = new AgentChange(agent, now)
  change.emit({ type: 'run.attempt-lost', ...current })
  if (isStopping(agent)) return rest(change, current, stopped(agent, LOST), context)
  if (mayRetry(agent)) return retry(change, current, now + backOffMs(change.agent), context)
  return fail(change, current, { ...LOST, reason: 'lost' }, context)
}

const LOST = {
  message: '',
  output: '',
  error: { code: 'lost', message: 'No runner could keep the run: each lost its lease.' },
}
