import type { SendOptions, Skein } from '@skein/client'
import type { AgentAnswer } from './agent-answer.ts'
import type { AgentWork } from './agent-work.ts'
import { currentAttempt, currentCause } from './attempt.ts'
import { awaitAnswer } from './await-answer.ts'
import { requestIdOf } from './cause.ts'
import { agentAt, agentFor, runAgent } from './run-agent.ts'
import { stopOwnAgent } from './stop-own-agent.ts'
import { toFailure } from './to-failure.ts'

/** Persona, model and so on of a message. Its id follows from the activity. */
export type MessageOptions = Omit<
  SendOptions,
  'id' | 'signal' | 'timeoutMs' | 'retries' | 'idempotencyKey' | 'justification'
>

/** An agent by its name, or the one that another activity of the same run has spawned or was about to. */
export type StopTarget =
  { readonly agent: string } | (Pick<AgentWork, 'workspace' | 'name'> & { readonly activityId: string })

/**
 * The activities, for a worker. Workflows call them through `proxySkein`.
 *
 * @example
 * import type { SkeinActivities } from '@skein/temporal'
 *
 * const names: (keyof SkeinActivities)[] = ['runAgent', 'send', 'waitForAgent', 'stopAgent']
 */
export interface SkeinActivities {
  runAgent(work: AgentWork): Promise<AgentAnswer>
  send(agent: string, text: string, options?: MessageOptions): Promise<{ readonly followUpId: string }>
  waitForAgent(agent: string): Promise<AgentAnswer>
  stopAgent(target: StopTarget): Promise<void>
}

/**
 * Creates the activities. All workers of a task queue need keys of the same account.
 *
 * @example
 * import { createActivities } from '@skein/temporal'
 *
 * const activities = createActivities(skein)
 */
export function createActivities(skein: Skein): SkeinActivities {
  return {
    runAgent: (work) => translated(async () => runAgent(skein, currentAttempt(), work)),
    send: (agent, text, options = {}) =>
      translated(async () => {
        const id = requestIdOf(currentCause())
        return agentAt(skein, agent).send(text, { ...options, id, idempotencyKey: id })
      }),
    waitForAgent: (agent) => translated(async () => awaitAnswer(currentAttempt(), agentAt(skein, agent))),
    stopAgent: (target) =>
      translated(async () => {
        const cause = currentCause()
        const agent =
          'agent' in target
            ? agentAt(skein, target.agent)
            : agentFor(skein, target, { ...cause, activityId: target.activityId })
        await stopOwnAgent(agent, cause)
      }),
  }
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}
