import { setTimeout as pause } from 'node:timers/promises'
import type { Tenant } from '@skein/contract'
import type { Caller } from '@skein/core'
import {
  closeTenant,
  countLeftovers,
  deleteTenantRow,
  deleteTenantRows,
  expireLeftovers,
  findLiveTrees,
  tablesOfTenants,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { killAgent } from './agents/kill-agent.ts'
import type { EngineResources } from './resources.ts'

const LOOK_MS = 1000

export interface DeleteTenant {
  readonly tenant: Tenant
  /** How long runners may remove nothing before it gives up. */
  readonly patienceMs: number
  /** Don't wait for runners: what they hold stays where it is. */
  readonly abandonsLeftovers: boolean
  /** How long servers may still accept a key after it was revoked, and finish what it asked for. */
  readonly settleMs: number
  readonly onProgress: (text: string) => void
}

export type DeletedTenant =
  /** Rows deleted, by table. */
  | { readonly state: 'deleted'; readonly tenantId: string; readonly rows: Readonly<Record<string, number>> }
  | { readonly state: 'not-found' }
  /** The tenant is closed. Running it again continues. */
  | { readonly state: 'held'; readonly held: readonly { readonly pool: string; readonly amount: number }[] }

/**
 * Deletes a tenant and everything stored of it: closes it, kills its agents, lets runners remove conversations,
 * unfinished work and folders, and then deletes its rows. Needs the owner login. Can be stopped at any point and run
 * again.
 */
export async function deleteTenant(engine: EngineResources, wanted: DeleteTenant): Promise<DeletedTenant> {
  const { database } = engine
  const { tenant, onProgress } = wanted
  const tenantId = await database.withoutTenant((transaction) => closeTenant(transaction, tenant))
  if (tenantId === undefined) return { state: 'not-found' }
  onProgress('The tenant is closed: its keys no longer work.')
  await pause(wanted.settleMs)
  await killAll(engine, tenantId, wanted)
  if (!wanted.abandonsLeftovers) {
    const held = await waitForRunners(engine, tenantId, wanted)
    if (held.length > 0) return { state: 'held', held }
  }
  return { state: 'deleted', tenantId, rows: await deleteRows(engine, tenantId, wanted) }
}

async function killAll(
  engine: EngineResources,
  tenantId: string,
  { tenant, onProgress }: DeleteTenant,
): Promise<void> {
  const caller: Caller = {
    tenantId,
    tenant,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: 'skein',
    role: 'operator',
    token: 'delete-tenant',
    pools: [],
    servesAllTenants: false,
  }
  let killed = 0
  for (;;) {
    const trees = await engine.database.withoutTenant((transaction) => findLiveTrees(transaction, tenantId))
    if (trees.length === 0) break
    for (const identity of trees) {
      const context = { caller, tenantId, requestId: uuidV7(), justification: 'The tenant is deleted.' }
      await killAgent(engine, context, { tenantId, tenant, identity })
    }
    killed += trees.length
    onProgress(`Killed ${killed} agents with their children.`)
  }
}

/** Returns what is still held when no runner has removed anything for a while. */
async function waitForRunners(
  { database }: EngineResources,
  tenantId: string,
  { patienceMs, onProgress }: DeleteTenant,
): Promise<{ pool: string; amount: number }[]> {
  let last = Infinity
  let deadline = performance.now() + patienceMs
  for (let again = true; ; again = false) {
    await database.withoutTenant((transaction) => expireLeftovers(transaction, tenantId, { again }))
    const held = await database.withoutTenant((transaction) => countLeftovers(transaction, tenantId))
    const amount = held.reduce((sum, pool) => sum + pool.amount, 0)
    if (amount === 0) return []
    if (amount !== last) {
      last = amount
      deadline = performance.now() + patienceMs
      onProgress(`Runners still hold conversations or work of ${amount} agents.`)
    }
    if (performance.now() > deadline) return held
    await pause(LOOK_MS)
  }
}

/** Twice: until the keys of its runners are forgotten, they may still write. The keys are in the first table. */
async function deleteRows(
  { database }: EngineResources,
  tenantId: string,
  { settleMs, onProgress }: DeleteTenant,
): Promise<Readonly<Record<string, number>>> {
  const deleted = new Map<string, number>()
  const tables = await database.withoutTenant(tablesOfTenants)
  const deleteAll = async () => {
    for (const table of tables) {
      const amount = await database.withoutTenant((transaction) =>
        deleteTenantRows(transaction, table, tenantId),
      )
      deleted.set(table.parent, (deleted.get(table.parent) ?? 0) + amount)
    }
  }
  onProgress('Deleting its rows.')
  await deleteAll()
  await pause(settleMs)
  await deleteAll()
  await database.withoutTenant((transaction) => deleteTenantRow(transaction, tenantId))
  return Object.fromEntries(deleted)
}
