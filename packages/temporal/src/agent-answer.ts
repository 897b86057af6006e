import type { AgentResult, Tokens } from '@skein/client'
import { ApplicationFailure } from '@temporalio/activity'
import { AGENT_CANCELED, AGENT_FAILED } from './failure-types.ts'

/**
 * What came of an agent's work. Only what a workflow needs: results are stored in its history.
 *
 * @example
 * import { proxySkein } from '@skein/temporal/workflow'
 *
 * const { runAgent, send, waitForAgent } = proxySkein()
 *
 * export async function askOnce(): Promise<string> {
 *   const first = await runAgent({ workspace: 'shop', description: 'Pick a colour. Ask if unsure.' })
 *   if (first.outcome === 'completed') return first.message
 *   await send(first.agent, 'Blue.')
 *   return (await waitForAgent(first.agent)).message
 * }
 */
export interface AgentAnswer<Output = unknown> {
  /** `workspace/name`, for `send` and `waitForAgent`. */
  readonly agent: string
  /** `waiting`: it needs a message, see `question`. */
  readonly outcome: 'completed' | 'waiting'
  /** The agent's last message. */
  readonly message: string
  /** Its question; empty if there is none. */
  readonly question: string
  /** Its answer according to `outputSchema`; undefined without one. */
  readonly output: Output | undefined
  /** In US dollars. */
  readonly cost: number
  readonly tokens: Tokens
}

/** An agent that failed or was canceled fails the activity: a workflow that forgets to look would go on without it. */
export function toAnswer<Output>(result: AgentResult<Output>): AgentAnswer<Output> {
  const { name: agent, outcome, message, question, output, cost, tokens, error } = result
  switch (outcome) {
    case 'completed':
    case 'waiting':
      return { agent, outcome, message, question, output, cost, tokens }
    case 'failed': {
      const details = [{ agent, cost, code: error?.code ?? '' }]
      throw ApplicationFailure.nonRetryable(
        `${agent} failed: ${error?.message ?? ''}`,
        AGENT_FAILED,
        ...details,
      )
    }
    case 'canceled':
      throw ApplicationFailure.nonRetryable(`${agent} was canceled.`, AGENT_CANCELED, { agent, cost })
    case 'timeout':
      throw new Error(`${agent} is still working.`)
  }
}
