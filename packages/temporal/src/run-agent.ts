import { SkeinApiError, type Agent, type Skein } from '@skein/client'
import { ApplicationFailure } from '@temporalio/activity'
import type { AgentAnswer } from './agent-answer.ts'
import type { AgentWork } from './agent-work.ts'
import type { Attempt } from './attempt.ts'
import { awaitAnswer, hasSeenAgent } from './await-answer.ts'
import { agentPathOf, labelsOf, requestIdOf, type Cause } from './cause.ts'
import { statusIfAny } from './stop-own-agent.ts'

/** An earlier attempt was faster, perhaps with an older version of this package. */
const ALREADY_SPAWNED: ReadonlySet<string> = new Set(['AGENT_ALREADY_EXISTS', 'IDEMPOTENCY_KEY_REUSED'])

export async function runAgent(skein: Skein, attempt: Attempt, work: AgentWork): Promise<AgentAnswer> {
  const agent = agentFor(skein, work, attempt.cause)
  return awaitAnswer(attempt, agent, () => spawnOnce(skein, attempt, agent, work))
}

/** The agent of the activity, whether it exists or not. */
export function agentFor(
  skein: Skein,
  { workspace, name = 'agent' }: Pick<AgentWork, 'workspace' | 'name'>,
  cause: Cause,
): Agent {
  return agentAt(skein, `${workspace}/${agentPathOf(name, cause)}`)
}

export function agentAt(skein: Skein, name: string): Agent {
  try {
    return skein.agent(name)
  } catch (error) {
    if (error instanceof TypeError) throw ApplicationFailure.nonRetryable(error.message, 'REQUEST_INVALID')
    throw error
  }
}

/**
 * An idempotency key alone would not do: the service forgets it after a day, and then would spawn over an agent that
 * has ended in the meantime.
 */
async function spawnOnce(
  skein: Skein,
  attempt: Attempt,
  agent: Agent,
  { workspace: _workspace, name: _name, ...work }: AgentWork,
): Promise<void> {
  if (attempt.number > 1 && (await statusIfAny(agent)) !== undefined) return
  // It was deleted, or this worker's key belongs to another account.
  if (hasSeenAgent(attempt))
    throw ApplicationFailure.nonRetryable(`${agent.name} is gone.`, 'AGENT_NOT_FOUND')
  const { cause, heartbeatTimeoutMs } = attempt
  try {
    await skein.spawn(
      { ...work, agentId: agent.id, labels: { ...work.labels, ...labelsOf(cause) } },
      {
        idempotencyKey: requestIdOf(cause),
        // Not the attempt's signal: an aborted request may still be carried out, after the agent was to be stopped.
        // But no longer than until this attempt counts as dead.
        signal: AbortSignal.timeout(heartbeatTimeoutMs),
      },
    )
  } catch (error) {
    if (!(error instanceof SkeinApiError) || !ALREADY_SPAWNED.has(error.reason)) throw error
  }
}
