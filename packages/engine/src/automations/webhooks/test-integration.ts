import { setTimeout as pause } from 'node:timers/promises'
import { SkeinError, type ResponseOf, type testIntegration as operation } from '@skein/contract'
import { DeliveryLog, EndpointStore } from '@skein/store'
import { v4 as uuidV4 } from 'uuid'
import type { EngineResources } from '../../resources.ts'
import { requireIntegration } from './read-deliveries.ts'

const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 200

/**
 * Has a test event sent, by whichever server sends webhooks, and waits for its entry in the log: the server that answers
 * may be in a network without a way out.
 */
export async function testIntegration(
  { database, clock }: EngineResources,
  tenantId: string,
  integration: string,
  signal: AbortSignal,
): Promise<ResponseOf<typeof operation>> {
  const testId = uuidV4()
  const startedAt = clock.now()
  await database.forTenant(tenantId, async (transaction) => {
    await requireIntegration(transaction, integration)
    await new EndpointStore(transaction).requestTest(integration, testId)
  })
  while (clock.now() - startedAt < PATIENCE_MS) {
    await pause(LOOK_EVERY_MS, undefined, { signal })
    const sent = await database.forTenant(tenantId, (transaction) =>
      new DeliveryLog(transaction).find(integration, testId, startedAt - 60_000),
    )
    if (!sent) continue
    const { status, error, latencyMs, response } = sent
    return { isDelivered: error === '', status, error, latencyMs, response }
  }
  throw new SkeinError('AUTOMATIONS_UNAVAILABLE')
}
