import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError, type Tenant } from '@skein/contract'
import {
  activateArrived,
  addArriving,
  addPartitions,
  beginMove,
  countHeld,
  describeCell,
  findMoveTables,
  findMovingTenants,
  isSameDatabase,
  lockMove,
  raiseFence,
  readHorizon,
  takeStep,
  type Horizon,
  type LeavingStep,
  type MovingTenant,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { SegmentObjects } from '../../timelines/segment-objects.ts'
import { requireSoundAudit } from './audit-chain.ts'
import { connectionsOf, type Cells } from './cells.ts'
import { checkCopy, copyRest, copyRows, type TenantCopy } from './copy-tenant.ts'
import { openTables } from './open-tables.ts'
import { returnOldEvents } from './return-old-events.ts'
import { requireMasterKey, requireTargetKey } from './sealed-columns.ts'

/** What has been done, in this order. */
export type MoveStep =
  | 'recorded'
  | 'prepared'
  | 'copied'
  | 'draining'
  | 'drained'
  | 'leaving'
  | 'left'
  | 'frozen'
  | 'fenced'
  | 'completed'
  | 'checked'
  | 'moved'
  | 'activated'
  | 'finished'

export interface MoveTenant {
  readonly cells: Cells
  /** Old events in the cell that it leaves. */
  readonly segments: SegmentObjects
  readonly tenant: Tenant
  /** How long runs in progress may go on. Then they are given up, and continue in the other cell. */
  readonly drainMs: number
  /** How long servers may still accept a key after it was refused, and finish what it asked for. */
  readonly settleMs: number
  /** How long to wait for runs and automations that were told to stop. */
  readonly patienceMs: number
  readonly auditRetentionMs: number
  readonly onProgress: (text: string) => void
  /** How often it says how many rows it has copied. Default: every 10 seconds. */
  readonly tellEveryMs?: number
  /** Told of every step, and of every batch of a copy, before the next. */
  readonly onStep?: (step: MoveStep | `batch ${string}`) => Promise<void>
}

const LOOK_MS = 250
const TELL_EVERY_MS = 10_000
/** Retention goes on in both cells, so a row can be gone between copy and check. */
const MAX_ROUNDS = 5

/**
 * Moves a tenant to another cell while its agents run (docs/adr/0074). Each step is recorded before the next: stopped at
 * any point and called again, it continues. At no time do both cells serve the tenant.
 */
export async function moveTenant(move: MoveTenant): Promise<{ readonly tenantId: string }> {
  const { cells, onProgress, onStep = async () => {} } = move
  const { source, target } = connectionsOf(cells)
  const prepared = await prepare(move)
  const { isActivated } = prepared
  let { tenant } = prepared
  const copy = await copyOf(move, tenant, onStep)
  const advance = async (from: LeavingStep, to: LeavingStep) => {
    await takeStep(source, tenant, from, to)
    tenant = { ...(await requireLeaving(move)), step: to }
    await onStep(to === 'copying' ? 'recorded' : to)
  }
  /** When the last complete copy began. Unknown after a restart. */
  let since: Horizon | undefined
  const copyAgain = async () => {
    const begun = await readHorizon(source)
    onProgress(`Copied ${await copyRows(copy, since)} rows.`)
    since = begun
  }
  if (tenant.step === 'copying') {
    // No event is moved to the blob store from now on.
    await returnOld(move, tenant, onStep)
    await addPartitions(connectionsOf(cells), tenant.id)
    onProgress('Copying while the tenant runs.')
    await copyAgain()
    await onStep('copied')
    await advance('copying', 'draining')
  }
  if (tenant.step === 'draining') {
    onProgress('Draining: no run starts. Runs in progress may end.')
    await waitUntil(async () => (await countHeld(source, tenant.id)).runs === 0, move.drainMs)
    await onStep('drained')
    // So that little is left for the time in which nobody can reach it.
    await copyAgain()
    await advance('draining', 'leaving')
  }
  if (tenant.step === 'leaving') {
    onProgress('Leaving: requests are told to try again.')
    await waitForSilence(move, tenant)
    await onStep('left')
    await advance('leaving', 'frozen')
  }
  if (tenant.step === 'frozen') {
    // Also after it was stopped: it may have been before all tables were fenced.
    await raiseFence(source, copy.tables, tenant.id)
    await onStep('fenced')
    // Again, for what was not there when it was copied first.
    await returnOld(move, tenant, onStep)
    await completeCopy(move, copy, since, onStep)
    await advance('frozen', 'moved')
    onProgress('The tenant has left.')
  } else if (!isActivated) {
    // Stopped before it was activated. The target may have been restored from a backup since it was checked.
    await raiseFence(source, copy.tables, tenant.id)
    await completeCopy(move, copy, undefined, onStep)
  }
  if (!isActivated) await activateArrived(target, tenant)
  await onStep('activated')
  await openTables(cells.target, tenant.id, onProgress)
  await onStep('finished')
  onProgress(`The tenant is served by ${cells.target.name}.`)
  return { tenantId: tenant.id }
}

async function copyOf(
  { cells, auditRetentionMs, onProgress, tellEveryMs = TELL_EVERY_MS }: MoveTenant,
  { id }: MovingTenant,
  onStep: NonNullable<MoveTenant['onStep']>,
): Promise<TenantCopy> {
  let [copied, toldAt] = [0, performance.now()]
  const tell = (table: string, rows: number) => {
    copied += rows
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    onProgress(`Copied ${copied} rows so far. Now: ${table}.`)
  }
  return {
    cells,
    tenantId: id,
    tables: await findMoveTables(cells.source.connection),
    expiredBefore: Date.now() - auditRetentionMs,
    now: () => Date.now(),
    onBatch: async (table, rows) => {
      tell(table, rows)
      await onStep(`batch ${table}`)
    },
  }
}

/** Checks what can be checked, and records the move in both cells. */
async function prepare(move: MoveTenant): Promise<{ tenant: MovingTenant; isActivated: boolean }> {
  const { cells, onProgress, onStep } = move
  const { source, target } = connectionsOf(cells)
  await requireTwins(cells)
  const { id } = await requireLeaving(move)
  for (const connection of [source, target]) {
    if (!(await lockMove(connection, id)))
      throw new ConfigError('Somebody else is moving this tenant right now.')
  }
  const found = await requireLeaving(move)
  const there = await findMovingTenants(target, move.tenant, id)
  // A tenant that has arrived keeps the id of that move, and so does what it left in the other cell.
  const known = there.find(({ moveId }) => found.step !== undefined && moveId === found.moveId)
  const other = there.find((tenant) => tenant !== known)
  if (other) throw new ConfigError(describeOther(cells.target.name, other))
  if (found.step === 'moved' && !known)
    throw new ConfigError(`The tenant has moved to ${found.cell}, but not to this database.`)
  if (known && known.step !== 'arriving') {
    await noteServedThere(move, found)
    return { tenant: await requireLeaving(move), isActivated: true }
  }
  if (known?.isClosed === true) throw new ConfigError(describeOther(cells.target.name, known))
  const tables = await findMoveTables(source)
  if (!(await requireTargetKey(cells))) {
    onProgress(`The cell ${cells.target.name} holds no secret yet, so its master key cannot be checked.`)
  }
  await requireMasterKey(cells, tables, id)
  const expiredBefore = Date.now() - move.auditRetentionMs
  await requireSoundAudit(cells.source, { tenantId: id, expiredBefore })
  if (!known) {
    const moveId = uuidV7()
    await beginMove(source, { tenantId: id, moveId, cell: cells.target.name })
    await onStep?.('recorded')
    await addArriving(target, found, { moveId, cell: cells.source.name })
  }
  await raiseFence(target, tables, id)
  await onStep?.('prepared')
  return { tenant: await requireLeaving(move), isActivated: false }
}

/** The target serves it, so nothing may be written there, even if the source has lost its last step in a failover. */
async function noteServedThere({ cells }: MoveTenant, found: MovingTenant): Promise<void> {
  if (found.step === 'moved') return
  if (found.step !== 'frozen') throw new ConfigError(describeServed(cells.source.name, cells.target.name))
  // Nothing has changed since the check.
  await takeStep(cells.source.connection, found, 'frozen', 'moved')
}

export function describeServed(from: string, to: string): string {
  return `The cell ${to} serves the tenant already, but the database of ${from} does not know it. Has it been restored from a backup?`
}

async function requireTwins({ source, target }: Cells): Promise<void> {
  if (source.name === target.name) throw new ConfigError('The two cells must have different names.')
  if (await isSameDatabase(source.connection, target.connection))
    throw new ConfigError('Both cells are the same database.')
  const [here, there] = await Promise.all([describeCell(source.connection), describeCell(target.connection)])
  if (here.migrations !== there.migrations || here.functions !== there.functions)
    throw new ConfigError('The two cells have different schemas. Upgrade both to the same version first.')
}

/** The tenant in the cell it leaves. */
async function requireLeaving({ cells, tenant }: MoveTenant): Promise<MovingTenant> {
  const [found] = await findMovingTenants(cells.source.connection, tenant)
  if (!found)
    throw new ConfigError(`The cell ${cells.source.name} has no tenant ${tenant.org} of that provider.`)
  if (found.step === 'arriving') throw new ConfigError('The tenant is on its way into this cell.')
  if (found.isClosed) throw new ConfigError('The tenant is being deleted.')
  if (found.step !== undefined && found.cell !== cells.target.name)
    throw new ConfigError(
      found.step === 'moved'
        ? `The tenant has moved to ${found.cell}.`
        : `The tenant is on its way to ${found.cell}. Finish that, or cancel it.`,
    )
  return found
}

export function describeLeft(cell: string, org: string): string {
  return `The cell ${cell} still has what the tenant ${org} left behind. Remove it there.`
}

function describeOther(cell: string, { org, id, step, isClosed }: MovingTenant): string {
  if (isClosed) return `The cell ${cell} is still deleting a tenant ${org}. Wait until it is gone.`
  if (step === 'moved') return describeLeft(cell, org)
  if (step === 'arriving')
    return `Another move of the tenant ${org} to ${cell} was not finished: cancel it first.`
  return `The cell ${cell} already has a tenant ${org} with the id ${id}.`
}

async function returnOld(
  { cells, segments, onProgress }: MoveTenant,
  { id }: MovingTenant,
  onStep: NonNullable<MoveTenant['onStep']>,
): Promise<void> {
  const { source } = connectionsOf(cells)
  const onSegment = () => onStep('batch timeline_segment')
  const returned = await returnOldEvents({ source, tenantId: id, segments, onSegment })
  if (returned > 0) onProgress(`Put ${returned} old events back into the database.`)
}

/** Runs are given up when their leases end: nobody works for the tenant then. */
async function waitForSilence(
  { cells, patienceMs, settleMs, onProgress }: MoveTenant,
  { id }: MovingTenant,
): Promise<void> {
  const settled = pause(settleMs)
  let told = ''
  const isSilent = async () => {
    const { runs, holds } = await countHeld(cells.source.connection, id)
    const text = `Waiting for ${runs} runs and ${holds} automations in progress.`
    if (runs + holds > 0 && text !== told) onProgress((told = text))
    return runs + holds === 0
  }
  await settled
  if (await waitUntil(isSilent, patienceMs)) return
  throw new ConfigError(
    'Runs or automations of the tenant are still in progress. Is a server of the cell running? Run this again to continue, or cancel the move.',
  )
}

async function waitUntil(isSo: () => Promise<boolean>, patienceMs: number): Promise<boolean> {
  const ends = performance.now() + patienceMs
  for (;;) {
    if (await isSo()) return true
    if (performance.now() >= ends) return false
    await pause(LOOK_MS)
  }
}

async function completeCopy(
  { onProgress }: MoveTenant,
  copy: TenantCopy,
  since: Horizon | undefined,
  onStep: NonNullable<MoveTenant['onStep']>,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    // If the check has found something, everything is compared again.
    const copied = await copyRows(copy, round === 1 ? since : undefined)
    onProgress(`Copied ${copied} rows that had changed.`)
    await copyRest(copy)
    await onStep('completed')
    const problems = await checkCopy(copy)
    if (problems.length === 0) break
    if (round === MAX_ROUNDS)
      throw new ConfigError(`The copy is not complete:\n  ${problems.slice(0, 20).join('\n  ')}`)
  }
  onProgress('Checked: both cells hold the same.')
  await onStep('checked')
}
