import { CatalogStore, EndpointStore, LaneStore, TenantEventStore, type HeldEndpoint } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { INTEGRATION } from './destinations.ts'

/** Later than any lane, whichever clock wrote it. */
const END_OF_TIME = Date.UTC(9999, 0)
/** More than there can be. */
const ALL = 2 ** 31 - 1

/**
 * Sends nothing more to a receiver until its integration is written again. The tenant's other integrations hear of it in
 * the same way as of any event. An integration is disabled once, so this comes to an end even if all of them are.
 * Returns how many lanes were given up.
 */
export async function disableEndpoint(
  { database, events }: EngineResources,
  held: HeldEndpoint,
  because: string,
): Promise<number> {
  const { tenantId, integration } = held
  const given = await database.forTenant(tenantId, async (transaction) => {
    const tenantEvents = new TenantEventStore(transaction)
    const sequence = await tenantEvents.nextSequence()
    if (!(await new EndpointStore(transaction).disable(held, because))) return undefined
    // No lane can be added any more, and one that was added at the last moment would never be sent.
    const lateLanes = await new LaneStore(transaction).giveUp(integration, END_OF_TIME, {
      error: because,
      amount: ALL,
    })
    const record = await new CatalogStore(transaction).find({ kind: INTEGRATION, name: integration })
    if (sequence !== undefined) {
      const owner = record?.updatedBy ?? ''
      await tenantEvents.add(sequence, { type: 'integration.disabled', integration, because, owner })
    }
    return lateLanes
  })
  if (given === undefined) return 0
  events.emit({ type: 'integration-disabled', tenantId, integration, because })
  return given
}
