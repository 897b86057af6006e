import { parseDuration, type ScheduleDocument } from '@skein/contract'
import {
  agentKey,
  agentNameOf,
  ScheduleTiming,
  type AgentIdentity,
  type CatchUp,
  type Caller,
} from '@skein/core'
import type { ClaimedSchedule } from '@skein/store'

/** The times of a stored schedule. */
export function timingOf(
  document: ScheduleDocument,
  { tenantId, name, anchoredAt }: { tenantId: string; name: string; anchoredAt: number },
): ScheduleTiming {
  return new ScheduleTiming(document, { anchorAt: anchoredAt, jitterSeed: `${tenantId}/${name}` })
}

export function catchUpOf({ catchUp: { policy, window, max } }: ScheduleDocument): CatchUp {
  return { policy, windowMs: parseDuration(window) ?? 0, max }
}

/** The agent that a firing starts or sends to. */
export function agentOfFiring(
  { profile, workspace, spawn, send }: ScheduleDocument,
  scheduleName: string,
  dueAt: number,
): { identity: AgentIdentity; key: string; shown: string } {
  const name = send ? send.agent : agentNameOf(spawn?.agent ?? '', scheduleName, dueAt)
  const identity: AgentIdentity = {
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: profile,
    workspace,
    path: [name],
  }
  return { identity, key: agentKey(identity), shown: `${workspace}/${name}` }
}

/** Firings act as the schedule's profile, with the rights of a member. */
export function callerOf({ tenantId, tenant, name }: ClaimedSchedule, { profile }: ScheduleDocument): Caller {
  return {
    tenantId,
    tenant,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: profile,
    role: 'member',
    token: `schedule/${name}`,
    pools: [],
    servesAllTenants: false,
  }
}
