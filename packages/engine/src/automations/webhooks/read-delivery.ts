import { SkeinError, type ResponseOf, type readDelivery as operation, type Tenant } from '@skein/contract'
import { isForPeople } from '@skein/contract/facts'
import { isTenantEvent, type AgentIdentity } from '@skein/core'
import {
  DeliveryLog,
  findOwnTenant,
  type DeliveryRecord,
  type Listed,
  type LogPlace,
  type Transaction,
} from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { parseIntegration } from './destinations.ts'
import { eventContent, testContent } from './message-content.ts'
import { describeDelivery, requireIntegration } from './read-deliveries.ts'
import { messageHeaders } from './sign-message.ts'

/** An event of the tenant itself is about no agent. */
const NOBODY: AgentIdentity = { workspace: '', ownerProvider: 'PROVIDER_UNSPECIFIED', account: '', path: [] }

/** One request to the receiver. Events are never copied into the log, so the body is made again. */
export function readDelivery(
  { database }: EngineResources,
  tenantId: string,
  integration: string,
  place: LogPlace,
): Promise<ResponseOf<typeof operation>> {
  return database.forTenant(tenantId, async (transaction) => {
    const document = await requireIntegration(transaction, integration)
    const record = await new DeliveryLog(transaction).findAt(integration, place)
    if (!record) throw new SkeinError('DELIVERY_NOT_FOUND')
    const tenant = await findOwnTenant(transaction)
    const delivery = describeDelivery(record, tenant)
    const parsed = parseIntegration(integration, document)
    const url = parsed?.url ?? ''
    if (!parsed || isForPeople(parsed.type) || record.messageId !== undefined)
      return { delivery, url, headers: {}, body: '' }
    return {
      delivery,
      url,
      headers: {
        ...Object.fromEntries(Object.keys(parsed.headers).map((name) => [name.toLowerCase(), ''])),
        ...messageHeaders({ id: delivery.webhookId, at: record.at }),
      },
      body: await bodyOf(transaction, integration, record, tenant),
    }
  })
}

async function bodyOf(
  transaction: Transaction,
  integration: string,
  { agentId, sequence, identity, at }: Listed<DeliveryRecord>,
  tenant: Tenant,
): Promise<string> {
  if (sequence === 0n) return JSON.stringify(testContent(integration, at))
  const event = await new DeliveryLog(transaction).event(agentId, sequence)
  if (!event || (!identity && !isTenantEvent(event.event))) return ''
  return JSON.stringify(eventContent(event, identity ?? NOBODY, tenant))
}
