import type { AgentStatus } from '@skein/client'
import { formatSpan } from './facts.ts'

/** Why a pending agent is not at work: retrying in 4s. */
export function describePending(
  { pendingReason, pendingUntil }: Pick<AgentStatus, 'pendingReason' | 'pendingUntil'>,
  nowMs: number,
): string {
  if (pendingUntil === '') return pendingReason
  return `${pendingReason} in ${formatSpan(Date.parse(pendingUntil) - nowMs)}`
}
