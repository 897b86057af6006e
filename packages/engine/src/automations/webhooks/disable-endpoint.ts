import { CatalogStore, EndpointStore, TenantEventStore, type HeldEndpoint } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { INTEGRATION } from './destinations.ts'

/**
 * Sends nothing more to a receiver until its integration is written again. The tenant's other integrations hear of it in
 * the same way as of any event. An integration is disabled once, so this comes to an end even if all of them are.
 */
export async function disableEndpoint(
  { database, events }: EngineResources,
  held: HeldEndpoint,
  because: string,
): Promise<void> {
  const { tenantId, integration } = held
  const isDisabled = await database.forTenant(tenantId, async (transaction) => {
    const tenantEvents = new TenantEventStore(transaction)
    const sequence = await tenantEvents.nextSequence()
    if (!(await new EndpointStore(transaction).disable(held, because))) return false
    const record = await new CatalogStore(transaction).find({ kind: INTEGRATION, name: integration })
    if (sequence !== undefined) {
      const owner = record?.updatedBy ?? ''
      await tenantEvents.add(sequence, { type: 'integration.disabled', integration, because, owner })
    }
    return true
  })
  if (!isDisabled) return
  events.emit({ type: 'integration-disabled', tenantId, integration, because })
}
