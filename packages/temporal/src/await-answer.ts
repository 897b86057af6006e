import type { Agent } from '@skein/client'
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity'
import { toAnswer, type AgentAnswer } from './agent-answer.ts'
import type { Attempt } from './attempt.ts'
import { stopOwnAgent } from './stop-own-agent.ts'

const BEATS_PER_TIMEOUT = 4

/** Waits for the agent, with heartbeats that also tell of a cancellation. */
export async function awaitAnswer<Output>(
  attempt: Attempt,
  agent: Agent<Output>,
  prepare: () => Promise<void> = async () => {},
): Promise<AgentAnswer<Output>> {
  let details: unknown = attempt.previousDetails
  const beat = (): void => attempt.heartbeat(details)
  const timer = setInterval(beat, attempt.heartbeatTimeoutMs / BEATS_PER_TIMEOUT)
  beat()
  try {
    await prepare()
    details = { agent: agent.name }
    beat()
    return toAnswer(await agent.result({ signal: attempt.signal }))
  } catch (error) {
    if (attempt.signal.aborted) throw await endCancelled(attempt, agent)
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** Whether another attempt had already come so far that there was an agent. */
export function hasSeenAgent({ previousDetails }: Attempt): boolean {
  return typeof previousDetails === 'object' && previousDetails !== null && 'agent' in previousDetails
}

/** Stops the agent if nobody waits for it any more. Returns what the attempt fails with. */
async function endCancelled(attempt: Attempt, agent: Agent): Promise<Error> {
  const cancellation = attempt.cancellation()
  if (cancellation === 'shutdown') {
    // As a failure, so that another worker continues at once instead of after the heartbeat timeout.
    return ApplicationFailure.retryable('The worker is shutting down.', 'SkeinWorkerShutdown')
  }
  // An attempt that was replaced must not stop the agent that its successor waits for.
  const isUnwanted =
    cancellation === 'requested' || (cancellation === 'gone' && !(await attempt.isWorkflowOpen()))
  if (isUnwanted) await stopOwnAgent(agent, attempt.cause)
  const reason: unknown = attempt.signal.reason
  return reason instanceof Error ? reason : new CancelledFailure('The activity was cancelled.')
}
