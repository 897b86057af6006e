import { ConfigError, type Tenant } from '@skein/contract'
import { cancelLeaving, closeArriving, findMovingTenants, lockMove, type MovingTenant } from '@skein/store'
import type { Cell } from './cells.ts'
import { describeLeft, describeServed } from './move-tenant.ts'
import { openTables } from './open-tables.ts'

interface CancelMove {
  readonly source: Cell
  /** Without a connection if it cannot be reached: what was copied stays there, and is never served. */
  readonly target: Pick<Cell, 'name'> & Partial<Pick<Cell, 'connection'>>
  readonly tenant: Tenant
  readonly onProgress: (text: string) => void
}

/**
 * The source serves the tenant again, and the servers of the target delete what was copied. Not possible after the tenant
 * has left. Can be repeated.
 */
export async function cancelMove({
  source: from,
  target: to,
  tenant,
  onProgress,
}: CancelMove): Promise<void> {
  const source = from.connection
  const target = to.connection
  const [found] = await findMovingTenants(source, tenant)
  if (!found) throw new ConfigError(`The cell ${from.name} has no tenant ${tenant.org}.`)
  for (const connection of [source, target]) {
    if (connection && !(await lockMove(connection, found.id)))
      throw new ConfigError('Somebody else is moving this tenant right now.')
  }
  const [current] = await findMovingTenants(source, tenant)
  if (!current || current.step === 'moved' || current.step === 'arriving')
    throw new ConfigError('The tenant has left already: move it back from there instead.')
  if (current.step !== undefined && current.cell !== to.name)
    throw new ConfigError(`The tenant is on its way to ${current.cell}, not to ${to.name}.`)
  const there = target ? await findMovingTenants(target, tenant, current.id) : []
  if (there.some(({ id, step }) => id === current.id && step === 'moved'))
    throw new ConfigError(describeLeft(to.name, current.org))
  const isServed = ({ moveId, step }: MovingTenant) => moveId === current.moveId && step === undefined
  if (current.step !== undefined && there.some(isServed))
    throw new ConfigError(describeServed(from.name, to.name))
  if (current.step !== undefined) {
    await cancelLeaving(source, current)
    onProgress(`The tenant is served by ${from.name} again.`)
  }
  await openTables(from, current.id, onProgress)
  if (!target) return
  for (const arriving of there) {
    if (arriving.id !== current.id || arriving.step !== 'arriving') continue
    await closeArriving(target, arriving)
    onProgress(`The servers of ${to.name} delete what was copied.`)
  }
  await openTables({ name: to.name, connection: target }, current.id, onProgress)
}
