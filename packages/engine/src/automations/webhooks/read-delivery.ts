import { SkeinError, type ResponseOf, type readDelivery as operation, type Tenant } from '@skein/contract'
import { isForPeople } from '@skein/contract/facts'
import { isTenantEvent, type AgentIdentity } from '@skein/core'
import {
  DeliveryLog,
  findOwnTenant,
  type DeliveryRecord,
  type Listed,
  SegmentStore,
  type LogPlace,
  type Segment,
  type SentEvent,
  type Transaction,
} from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { readOldEvent } from '../../timelines/read-events.ts'
import { parseIntegration } from './destinations.ts'
import { eventContent, testContent } from './message-content.ts'
import { describeDelivery, requireIntegration } from './read-deliveries.ts'
import { messageHeaders } from './sign-message.ts'

/** An event of the tenant itself is about no agent. */
const NOBODY: AgentIdentity = { workspace: '', ownerProvider: 'PROVIDER_UNSPECIFIED', account: '', path: [] }

/** One request to the receiver. Events are never copied into the log, so the body is made again. */
export async function readDelivery(
  engine: EngineResources,
  tenantId: string,
  integration: string,
  place: LogPlace,
): Promise<ResponseOf<typeof operation>> {
  const { answer, bodyFrom } = await engine.database.forTenant(tenantId, async (transaction) => {
    const document = await requireIntegration(transaction, integration)
    const record = await new DeliveryLog(transaction).findAt(integration, place)
    if (!record) throw new SkeinError('DELIVERY_NOT_FOUND')
    const tenant = await findOwnTenant(transaction)
    const delivery = describeDelivery(record, tenant)
    const parsed = parseIntegration(integration, document)
    const url = parsed?.url ?? ''
    if (!parsed || isForPeople(parsed.type) || record.messageId !== undefined)
      return { answer: { delivery, url, headers: {} } }
    const headers = {
      ...Object.fromEntries(Object.keys(parsed.headers).map((name) => [name.toLowerCase(), ''])),
      ...messageHeaders({ id: delivery.webhookId, at: record.at }),
    }
    const event = await findEvent(transaction, record)
    return { answer: { delivery, url, headers }, bodyFrom: { record, tenant, event } }
  })
  const body = bodyFrom ? await bodyOf(engine, tenantId, integration, bodyFrom) : ''
  return { ...answer, body }
}

/** In the table, or where it was moved to: a replay can be about an old one. */
async function findEvent(
  transaction: Transaction,
  { agentId, sequence }: Listed<DeliveryRecord>,
): Promise<SentEvent | Segment | undefined> {
  const event = await new DeliveryLog(transaction).event(agentId, sequence)
  if (event) return event
  const [segment] = await new SegmentStore(transaction).after(agentId, sequence - 1n, 1)
  return segment && segment.firstSequence <= sequence ? segment : undefined
}

interface BodySource {
  readonly record: Listed<DeliveryRecord>
  readonly tenant: Tenant
  readonly event: SentEvent | Segment | undefined
}

async function bodyOf(
  { segments }: EngineResources,
  tenantId: string,
  integration: string,
  { record: { sequence, identity, at }, tenant, event: found }: BodySource,
): Promise<string> {
  if (sequence === 0n) return JSON.stringify(testContent(integration, at))
  const event = found && 'object' in found ? await readOldEvent(segments, tenantId, found, sequence) : found
  if (!event || (!identity && !isTenantEvent(event.event))) return ''
  return JSON.stringify(eventContent(event, identity ?? NOBODY, tenant))
}
