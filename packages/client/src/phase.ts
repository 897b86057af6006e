import type { Phase } from './generated/types.ts'

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
  return phase === 'PHASE_COMPLETED' || phase === 'PHASE_FAILED' || phase === 'PHASE_CANCELED'
}
