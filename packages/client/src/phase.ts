import * as facts from '@skein/contract/facts'
import type { AgentEntry, Phase } from './generated/types.ts'

/**
 * Whether an agent in this phase has ended: completed, failed or canceled.
 *
 * @example
 * import { isTerminal } from '@skein/client'
 *
 * const { phase } = await agent.status()
 * if (isTerminal(phase)) console.log('It has ended.')
 */
export function isTerminal(phase: Phase): boolean {
  return facts.isTerminal(phase)
}

/**
 * Whether the agent is waiting for an answer. One that waits without a question is idle: it has done its work and is
 * waiting for the next message.
 *
 * @example
 * import { isAsking } from '@skein/client'
 *
 * const status = await agent.status()
 * if (isAsking(status)) console.log(status.needsInput)
 */
export function isAsking({ phase, needsInput }: Pick<AgentEntry, 'phase' | 'needsInput'>): boolean {
  return phase === 'PHASE_WAITING' && needsInput !== ''
}
