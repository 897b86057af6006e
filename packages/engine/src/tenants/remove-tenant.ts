import { SkeinError } from '@skein/contract'
import { removalStage, type Caller } from '@skein/core'
import {
  countLeftovers,
  deleteTenantAgents,
  deleteTenantEvents,
  deleteTenantRow,
  deleteTenantRows,
  expireLeftovers,
  findLiveTrees,
  noteEmptiedTenant,
  ROWS_AT_ONCE,
  tablesOfTenants,
  type ClosedTenant,
  type HeldLeftovers,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { killAgent } from '../agents/kill-agent.ts'
import type { EngineResources } from '../resources.ts'

export type Held = readonly HeldLeftovers[]

export type RemovalStep =
  | { readonly state: 'settling' }
  | { readonly state: 'killed'; readonly amount: number }
  /** Runners still hold something. */
  | { readonly state: 'held'; readonly held: Held }
  | { readonly state: 'removed'; readonly rows: ReadonlyMap<string, number> }
  | { readonly state: 'deleted'; readonly rows: ReadonlyMap<string, number> }

interface RemovalOptions {
  readonly settleMs: number
  readonly isStopped: () => boolean
  /** Told of agents that cannot be killed. They don't stop the deletion. */
  readonly onError: (error: unknown) => void
}

/**
 * The next step of deleting a tenant that is closed: kills its agents, lets runners remove conversations, unfinished work
 * and folders, and then deletes its rows, a few at a time. It can be stopped at any point, and two servers can do it at
 * once.
 */
export async function removeTenant(
  engine: EngineResources,
  closed: ClosedTenant,
  { settleMs, isStopped, onError }: RemovalOptions,
): Promise<RemovalStep> {
  const { database, clock } = engine
  const stage = removalStage({ ...closed, now: clock.now(), settleMs })
  if (stage === 'settle') return { state: 'settling' }
  // Where it lives now, its agents go on with what runners hold.
  if (!closed.hasMoved) {
    const killed = await killSome(engine, closed, onError)
    if (killed > 0) return { state: 'killed', amount: killed }
    if (!closed.abandonsLeftovers) {
      const held = await letRunnersRemove(engine, closed.id)
      if (held.length > 0) return { state: 'held', held }
    }
  }
  const rows = await deleteRows(engine, closed.id, isStopped)
  if (isStopped()) return { state: 'removed', rows }
  const isEmpty = rows.size === 0
  if (stage === 'finish' && isEmpty) {
    await database.statement((transaction) => deleteTenantRow(transaction, closed.id))
    return { state: 'deleted', rows }
  }
  // Again after a while: what was still being written counts as well.
  await database.statement((transaction) =>
    noteEmptiedTenant(transaction, closed.id, stage === 'remove' || isEmpty),
  )
  return { state: 'removed', rows }
}

async function killSome(
  engine: EngineResources,
  { id: tenantId, tenant }: ClosedTenant,
  onError: (error: unknown) => void,
): Promise<number> {
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
  const trees = await engine.database.forTenant(tenantId, (transaction) =>
    findLiveTrees(transaction, onError),
  )
  let killed = 0
  for (const identity of trees) {
    const context = { caller, tenantId, requestId: uuidV7(), justification: 'The tenant is deleted.' }
    try {
      await killAgent(engine, context, { tenantId, tenant, identity })
      killed += 1
    } catch (error) {
      // The database cannot be reached or is busy: the next step may work.
      if (error instanceof SkeinError) throw error
      onError(error)
    }
  }
  return killed
}

async function letRunnersRemove({ database }: EngineResources, tenantId: string): Promise<Held> {
  while (await database.forTenant(tenantId, expireLeftovers));
  return database.forTenant(tenantId, countLeftovers)
}

/** By table. Each statement commits by itself and is short. */
async function deleteRows(
  { database }: EngineResources,
  tenantId: string,
  isStopped: () => boolean,
): Promise<ReadonlyMap<string, number>> {
  const deleted = new Map<string, number>()
  const tables = await database.statement(tablesOfTenants)
  for (const table of tables) {
    let amount = ROWS_AT_ONCE
    while (amount === ROWS_AT_ONCE && !isStopped()) {
      amount = await database.statement((transaction) => deleteTenantRows(transaction, table, tenantId))
      if (amount > 0) deleted.set(table.parent, (deleted.get(table.parent) ?? 0) + amount)
    }
  }
  let agents = 0
  while (!isStopped()) {
    const looked = await database.statement((transaction) => deleteTenantAgents(transaction, tenantId))
    if (looked === 0) break
    agents += looked
    deleted.set('agent', agents)
  }
  let events = 0
  while (!isStopped()) {
    const removed = await database.statement((transaction) => deleteTenantEvents(transaction, tenantId))
    if (removed === 0) break
    events += removed
    deleted.set('timeline', events)
  }
  return deleted
}
