import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow'
import type { MessageOptions, SkeinActivities, StopTarget } from './activities.ts'
import type { AgentAnswer } from './agent-answer.ts'
import type { AgentWork } from './agent-work.ts'
import { AGENT_CANCELED, AGENT_FAILED } from './failure-types.ts'

export type { AgentAnswer } from './agent-answer.ts'
export type { AgentWork } from './agent-work.ts'

/**
 * Options of the activities that wait for agents.
 *
 * @example
 * import { proxySkein, type WaitingOptions } from '@skein/temporal/workflow'
 *
 * const options: WaitingOptions = { heartbeatTimeout: '1 minute', taskQueue: 'agents' }
 * const { runAgent } = proxySkein(options)
 */
export type WaitingOptions = Pick<
  ActivityOptions,
  'taskQueue' | 'heartbeatTimeout' | 'startToCloseTimeout' | 'scheduleToCloseTimeout' | 'retry'
>

/**
 * Agents, for a workflow.
 *
 * @example
 * import { proxySkein, type SkeinForWorkflows } from '@skein/temporal/workflow'
 *
 * const { runAgent, send, waitForAgent }: SkeinForWorkflows = proxySkein()
 */
export interface SkeinForWorkflows {
  /**
   * Spawns an agent and waits until it completes or needs a message. Fails with the type `SkeinAgentFailed` or
   * `SkeinAgentCanceled` if the agent does, or with the service's reason if it refuses the work. Whenever it fails or is
   * cancelled, the agent is stopped.
   */
  runAgent<Output = unknown>(work: AgentWork): Promise<AgentAnswer<Output>>
  /** Sends a message, once. */
  send(agent: string, text: string, options?: MessageOptions): Promise<{ readonly followUpId: string }>
  /**
   * Waits until the agent completes or needs a message. If it is cancelled, the agent is stopped, provided that this
   * workflow has spawned it.
   */
  waitForAgent<Output = unknown>(agent: string): Promise<AgentAnswer<Output>>
}

const RETRY = { initialInterval: '1 second', maximumInterval: '1 minute' } as const

/**
 * Creates the functions that a workflow calls.
 *
 * @example
 * import { proxySkein } from '@skein/temporal/workflow'
 *
 * const { runAgent } = proxySkein({ heartbeatTimeout: '10 seconds' })
 *
 * export async function fix(issue: string): Promise<string> {
 *   return (await runAgent({ workspace: 'shop', description: `Fix ${issue}.`, autoComplete: true })).message
 * }
 */
export function proxySkein(options: WaitingOptions = {}): SkeinForWorkflows {
  const { taskQueue } = options
  const waiting = proxyActivities<SkeinActivities>({
    startToCloseTimeout: '30 days',
    heartbeatTimeout: '30 seconds',
    retry: RETRY,
    ...options,
    // A cancelled activity has stopped its agent once it ends.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  })
  const brief = proxyActivities<SkeinActivities>({
    startToCloseTimeout: '5 minutes',
    retry: RETRY,
    ...(taskQueue !== undefined && { taskQueue }),
  })
  const stopping = proxyActivities<SkeinActivities>({
    startToCloseTimeout: '5 minutes',
    scheduleToCloseTimeout: '1 day',
    retry: RETRY,
    ...(taskQueue !== undefined && { taskQueue }),
  })
  /** Temporal doesn't retry an activity that was cancelled: if its worker died then, nobody has stopped the agent. */
  const stop = (target: StopTarget): Promise<void> =>
    CancellationScope.nonCancellable(() => stopping.stopAgent(target))

  return {
    async runAgent<Output>(work: AgentWork) {
      try {
        return withOutput<Output>(await waiting.runAgent(work))
      } catch (error) {
        const { workspace, name } = work
        const activityId = activityOf(error)
        if (activityId !== undefined) await stop({ workspace, name, activityId })
        throw error
      }
    },
    send: (agent, text, messageOptions) => brief.send(agent, text, messageOptions),
    async waitForAgent<Output>(agent: string) {
      try {
        return withOutput<Output>(await waiting.waitForAgent(agent))
      } catch (error) {
        const isCancelled = CancellationScope.current().consideredCancelled
        if (isCancelled && activityOf(error) !== undefined) await stop({ agent })
        throw error
      }
    },
  }
}

/** The activity after whose failure an agent may be left behind. */
function activityOf(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) return undefined
  const { cause } = error
  const hasEnded =
    cause instanceof ApplicationFailure && (cause.type === AGENT_FAILED || cause.type === AGENT_CANCELED)
  return hasEnded ? undefined : error.activityId
}

function withOutput<Output>(answer: AgentAnswer): AgentAnswer<Output> {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the runner has checked it against the schema
  return answer as AgentAnswer<Output>
}
