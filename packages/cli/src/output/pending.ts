import type { AgentStatus, FleetEntry } from '@skein/client'
import { formatSpan } from './facts.ts'

/** Why a pending agent is not at work: retrying in 4s. */
export function describePending(
  { pendingReason, pendingUntil }: Pick<AgentStatus, 'pendingReason' | 'pendingUntil'>,
  nowMs: number,
): string {
  if (pendingUntil === '') return pendingReason
  return `${pendingReason} in ${formatSpan(Date.parse(pendingUntil) - nowMs)}`
}

/** What wakes an agent that has nothing to do: next message in 2h30m. */
export function describeDeferred(
  { nextDeliverAt }: Pick<FleetEntry, 'nextDeliverAt'>,
  nowMs: number,
): string {
  return nextDeliverAt === '' ? '' : `next message in ${formatSpan(Date.parse(nextDeliverAt) - nowMs)}`
}
