import type { AgentStatus, FleetEntry } from '@skein/client'
import { formatSpan } from './facts.ts'

/** Why a pending agent isn't running, such as "retrying in 4s". */
export function describePending(
  { pendingReason, pendingUntil }: Pick<AgentStatus, 'pendingReason' | 'pendingUntil'>,
  nowMs: number,
): string {
  if (pendingUntil === '') return pendingReason
  return `${pendingReason} in ${formatSpan(Date.parse(pendingUntil) - nowMs)}`
}

/** What wakes an idle agent, such as "next message in 2h30m". */
export function describeDeferred(
  { nextDeliverAt }: Pick<FleetEntry, 'nextDeliverAt'>,
  nowMs: number,
): string {
  return nextDeliverAt === '' ? '' : `next message in ${formatSpan(Date.parse(nextDeliverAt) - nowMs)}`
}
