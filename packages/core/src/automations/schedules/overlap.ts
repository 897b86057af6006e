import { isTerminal } from '@skein/contract/facts'
import type { AgentState } from '../../agent/state.ts'

type Phased = Pick<AgentState, 'phase'>

export type OverlapPolicy = 'skip' | 'queue' | 'replace' | 'allow'

/** Firings of one schedule that wait for their turn. Those beyond are skipped. */
export const MAX_WAITING_FIRINGS = 100

export type OverlapDecision =
  | 'go'
  /** After the agent of the firing before was killed. */
  | 'go-after-kill'
  | 'wait'
  | 'skip'
  /** Too many wait already. */
  | 'skip-full'

/** Whether a firing that spawns an agent starts although the agent of the one before may not have ended. */
export function decideSpawnOverlap(
  policy: OverlapPolicy,
  previous: Phased | undefined,
  waitingBefore: number,
): OverlapDecision {
  if (policy === 'allow') return 'go'
  if (policy === 'queue' && waitingBefore > 0) return waitOrSkip(waitingBefore)
  if (!previous || isTerminal(previous.phase)) return 'go'
  switch (policy) {
    case 'skip':
      return 'skip'
    case 'queue':
      return waitOrSkip(waitingBefore)
    case 'replace':
      return 'go-after-kill'
  }
}

/** An agent queues messages itself, so a message waits there. Only `skip` looks whether the agent is at work. */
export function decideSendOverlap(policy: OverlapPolicy, agent: Phased | undefined): 'go' | 'skip' {
  return policy === 'skip' && isAtWork(agent) ? 'skip' : 'go'
}

function isAtWork(agent: Phased | undefined): boolean {
  return agent?.phase === 'PHASE_PENDING' || agent?.phase === 'PHASE_RUNNING'
}

function waitOrSkip(waitingBefore: number): OverlapDecision {
  return waitingBefore < MAX_WAITING_FIRINGS ? 'wait' : 'skip-full'
}
