import { routeChanges } from '@skein/core'
import { EndpointStore, LaneStore, OutboxReader, type OutboxChange, type Transaction } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { findDestinations } from './destinations.ts'

const BATCH = 500

/** What one step of the relay did. */
export interface Relayed {
  /** Whether the tenant has ever had an integration. */
  readonly hasReader: boolean
  readonly isMore: boolean
  /** Whether there is more that can be read only in a moment. */
  readonly isUnsettled: boolean
  /** How many lanes got something to send. */
  readonly lanes: number
}

/**
 * Reads the next changes from a tenant's outbox and notes what is to be sent to which integration. The position moves in
 * the same transaction: killed at any point, nothing is skipped and nothing is noted twice.
 */
export function relayOnce({ database }: EngineResources, tenantId: string): Promise<Relayed> {
  return database.forTenant(tenantId, async (transaction) => {
    const reader = new OutboxReader(transaction)
    const read = await reader.read(BATCH)
    if (!read) return { hasReader: await reader.exists(), isMore: false, isUnsettled: false, lanes: 0 }
    const { changes, isMore, isUnsettled } = read
    const lanes = await addLanes(transaction, changes)
    return { hasReader: true, isMore, isUnsettled, lanes }
  })
}

/** Returns how many lanes got something to send. */
async function addLanes(transaction: Transaction, changes: readonly OutboxChange[]): Promise<number> {
  if (changes.length === 0) return 0
  const destinations = await findDestinations(transaction)
  const ranges = routeChanges(destinations, changes)
  if (ranges.length === 0) return 0
  const delayOf = new Map(destinations.map(({ name, delayMs }) => [name, delayMs]))
  const wanted = new Map(ranges.map(({ integration }) => [integration, delayOf.get(integration) ?? 0]))
  const awake = new Set(await new EndpointStore(transaction).wake(wanted))
  const lanes = ranges
    .filter(({ integration }) => awake.has(integration))
    .map((range) => ({ ...range, delayMs: delayOf.get(range.integration) ?? 0 }))
  await new LaneStore(transaction).add(lanes)
  return lanes.length
}
