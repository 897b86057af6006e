import { randomUUID } from 'node:crypto'
import type { Caller } from '@skein/core'
import type { AgentTarget, CommandContext, EngineResources } from '@skein/engine'
import type { TestTenant } from '@skein/testkit'

/** What the clients of a test share: one tenant's trees, and the runs that are held. */
export interface Fleet {
  readonly tenantId: string
  readonly caller: Caller
  readonly runner: Caller
  /** Ids of messages that were sent, by the agent's path. */
  readonly followUpIds: Map<string, string[]>
  readonly leases: Set<string>
}

export function fleetOf({ id, tenant }: Pick<TestTenant, 'id' | 'tenant'>): Fleet {
  const caller: Caller = {
    tenantId: id,
    tenant,
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    account: 'ada',
    role: 'admin',
    token: 'admin',
    pools: [],
    servesAllTenants: false,
  }
  const runner: Caller = { ...caller, account: 'runner', role: 'runner', token: 'runner', pools: ['default'] }
  return { tenantId: id, caller, runner, followUpIds: new Map(), leases: new Set() }
}

/** One of several clients, each on one of the servers. */
export interface FleetClient {
  readonly fleet: Fleet
  readonly engine: EngineResources
}

export function targetOf({ caller, tenantId }: Fleet, path: string): AgentTarget {
  const { tenant, ownerProvider, account } = caller
  return {
    tenantId,
    tenant,
    identity: { workspace: 'default', ownerProvider, account, path: path.split('/') },
  }
}

/** A command with its own key, as a careful client sends it; or without one. */
export function contextOf(
  { caller, tenantId }: Fleet,
  key?: string,
  request: unknown = null,
): CommandContext {
  return {
    caller,
    tenantId,
    requestId: randomUUID(),
    ...(key !== undefined && { idempotency: { key, path: 'POST /test', request } }),
  }
}
