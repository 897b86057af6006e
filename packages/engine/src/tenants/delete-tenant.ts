import { setTimeout as pause } from 'node:timers/promises'
import type { Tenant } from '@skein/contract'
import { closeTenant, findAnyTenant, type ClosedTenant } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { removeTenant, type Held } from './remove-tenant.ts'

const LOOK_MS = 1000

export interface DeleteTenant {
  readonly tenant: Tenant
  /** How long runners may remove nothing before it gives up. */
  readonly patienceMs: number
  /** Don't wait for runners: what they hold stays where it is. */
  readonly abandonsLeftovers: boolean
  /** Another cell has been seen to serve it: only what it has left here is deleted. Default: false. */
  readonly isLeft?: boolean
  /** How long servers may still accept a key after it was revoked, and finish what it asked for. */
  readonly settleMs: number
  readonly onProgress: (text: string) => void
}

export type DeletedTenant =
  /** Rows deleted, by table. */
  | { readonly state: 'deleted'; readonly tenantId: string; readonly rows: Readonly<Record<string, number>> }
  | { readonly state: 'not-found' }
  /** The tenant is closed. Running it again continues. */
  | { readonly state: 'held'; readonly held: Held }

/**
 * Deletes a tenant and everything stored of it, as its servers do for an operator (docs/adr/0066), but waits for it. Can
 * be stopped at any point and run again.
 */
export async function deleteTenant(engine: EngineResources, wanted: DeleteTenant): Promise<DeletedTenant> {
  const { onProgress, settleMs } = wanted
  const closed = await close(engine, wanted)
  if (!closed) return { state: 'not-found' }
  onProgress('The tenant is closed: its keys no longer work.')
  const patience = new Patience(wanted)
  const rows = new Map<string, number>()
  let killed = 0
  const onError = (error: unknown) =>
    onProgress(`An agent could not be killed: ${error instanceof Error ? error.message : String(error)}`)
  for (;;) {
    const known = await find(engine, wanted)
    if (!known) return { state: 'deleted', tenantId: closed.id, rows: Object.fromEntries(rows) }
    const step = await removeTenant(engine, known, { settleMs, isStopped: () => false, onError })
    switch (step.state) {
      case 'settling':
        await pause(LOOK_MS)
        break
      case 'killed':
        killed += step.amount
        onProgress(`Killed ${killed} agents with their children.`)
        break
      case 'held':
        if (patience.isOver(step.held)) return step
        await pause(LOOK_MS)
        break
      case 'removed':
      case 'deleted':
        if (step.state === 'removed') onProgress('Deleting its rows.')
        for (const [table, amount] of step.rows) rows.set(table, (rows.get(table) ?? 0) + amount)
    }
  }
}

/** How long runners may remove nothing. */
class Patience {
  readonly #wanted: DeleteTenant
  #last = Infinity
  #deadline = 0

  constructor(wanted: DeleteTenant) {
    this.#wanted = wanted
  }

  isOver(held: Held): boolean {
    const amount = held.reduce((sum, pool) => sum + pool.amount, 0)
    if (amount !== this.#last) {
      this.#last = amount
      this.#deadline = performance.now() + this.#wanted.patienceMs
      this.#wanted.onProgress(`Runners still hold conversations or work of ${amount} agents.`)
    }
    return performance.now() > this.#deadline
  }
}

async function close(
  engine: EngineResources,
  { tenant, abandonsLeftovers, isLeft = false }: DeleteTenant,
): Promise<{ id: string } | undefined> {
  return engine.database.withoutTenant(async (transaction) => {
    const found = await findAnyTenant(transaction, tenant)
    if (found) await closeTenant(transaction, found.id, { abandonsLeftovers, byServers: false, isLeft })
    return found
  })
}

async function find(
  engine: EngineResources,
  { tenant, abandonsLeftovers }: DeleteTenant,
): Promise<ClosedTenant | undefined> {
  const found = await engine.database.withoutTenant((transaction) => findAnyTenant(transaction, tenant))
  if (found?.closedAt === undefined) return undefined
  const { id, closedAt, emptiedAt, hasMoved } = found
  return { id, tenant, abandonsLeftovers, closedAt, emptiedAt, hasMoved }
}
