import { ConfigError } from '@skein/contract'
import { hasArrived } from '@skein/core'
import { findMovingTenants, lockMove } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { deleteTenant } from '../delete-tenant.ts'
import { connectionsOf } from './cells.ts'
import type { MoveTenant } from './move-tenant.ts'
import { openTables } from './open-tables.ts'

/** Deletes what a tenant left behind, once the other cell serves it. Can be stopped and run again. */
export async function removeLeft(
  engine: EngineResources,
  { cells, tenant, settleMs, onProgress }: Pick<MoveTenant, 'cells' | 'tenant' | 'settleMs' | 'onProgress'>,
): Promise<void> {
  const { source, target } = connectionsOf(cells)
  const [left] = await findMovingTenants(source, tenant)
  const [arrived] = await findMovingTenants(target, tenant)
  if (!left) {
    if (!arrived) throw new ConfigError(`Neither cell has a tenant ${tenant.org}.`)
    // Stopped after the last row was deleted.
    return openTables(cells.source, arrived.id, onProgress)
  }
  if (!arrived || !hasArrived(arrived, left, cells.target.name))
    throw new ConfigError(`The cell ${cells.target.name} does not serve the tenant yet.`)
  if (!(await lockMove(source, left.id)))
    throw new ConfigError('Somebody else is moving this tenant right now.')
  const deleted = await deleteTenant(engine, {
    tenant,
    patienceMs: 0,
    abandonsLeftovers: true,
    isLeft: true,
    settleMs,
    onProgress,
  })
  if (deleted.state !== 'deleted') throw new ConfigError('What the tenant left behind is still there.')
  await openTables(cells.source, left.id, onProgress)
}
