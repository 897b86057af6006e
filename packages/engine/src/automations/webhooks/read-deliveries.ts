import {
  formatInt64,
  formatTimestamp,
  type AgentId,
  type DeadLetter,
  type Delivery,
  type Tenant,
} from '@skein/contract'
import { messageId, resourceNotFound, type AgentIdentity, type Document } from '@skein/core'
import {
  CatalogStore,
  DeliveryLog,
  findOwnTenant,
  type DeliveryRecord,
  type Listed,
  type LogPlace,
  type Transaction,
} from '@skein/store'
import { toAgentId } from '../../agents/describe-agent.ts'
import {
  decodePageToken,
  encodePageToken,
  pageSizeOf,
  splitPage,
  TIME_AND_ID,
  type Page,
} from '../../paging.ts'
import type { EngineResources } from '../../resources.ts'
import { INTEGRATION } from './destinations.ts'
import { testMessageId } from './message-content.ts'

/** Requests to the receiver, newest first. */
export function listDeliveries(
  { database }: EngineResources,
  tenantId: string,
  { integration, onlyFailed }: { readonly integration: string; readonly onlyFailed: boolean },
  page: Page,
): Promise<{ deliveries: Delivery[]; nextPageToken: string }> {
  const before = placeOf('deliveries', page)
  const pageSize = pageSizeOf(page)
  return database.forTenant(tenantId, async (transaction) => {
    await requireIntegration(transaction, integration)
    const limit = pageSize + 1
    const records = await new DeliveryLog(transaction).list(integration, before, { limit, onlyFailed })
    const { shown, last } = splitPage(records, pageSize)
    const tenant = await findOwnTenant(transaction)
    return {
      deliveries: shown.map((record) => describeDelivery(record, tenant)),
      nextPageToken: tokenOf('deliveries', last),
    }
  })
}

/** What was given up, newest first. */
export function listDeadLetters(
  { database }: EngineResources,
  tenantId: string,
  integration: string,
  page: Page,
): Promise<{ deadLetters: DeadLetter[]; nextPageToken: string }> {
  const before = placeOf('dead-letters', page)
  const pageSize = pageSizeOf(page)
  return database.forTenant(tenantId, async (transaction) => {
    await requireIntegration(transaction, integration)
    const records = await new DeliveryLog(transaction).deadLetters(integration, before, pageSize + 1)
    const { shown, last } = splitPage(records, pageSize)
    const tenant = await findOwnTenant(transaction)
    return {
      deadLetters: shown.map((record) => ({
        id: record.id,
        time: formatTimestamp(record.at),
        ...describeAgent(record.identity, tenant),
        firstSequence: formatInt64(record.firstSequence),
        lastSequence: formatInt64(record.lastSequence),
        error: record.error,
      })),
      nextPageToken: tokenOf('dead-letters', last),
    }
  })
}

export async function requireIntegration(transaction: Transaction, name: string): Promise<Document> {
  const record = await new CatalogStore(transaction).find({ kind: INTEGRATION, name })
  if (!record?.document) throw resourceNotFound(INTEGRATION, name)
  return record.document
}

export function describeDelivery(record: Listed<DeliveryRecord>, tenant: Tenant): Delivery {
  const { id, agentId, sequence, attempt, status, error, latencyMs, response } = record
  return {
    id,
    time: formatTimestamp(record.at),
    ...describeAgent(record.identity, tenant),
    sequence: formatInt64(sequence),
    type: record.eventType,
    webhookId: sequence === 0n ? testMessageId(id) : messageId(agentId, sequence),
    messageId: record.messageId ?? '',
    attempt,
    status,
    error,
    latencyMs,
    response,
  }
}

function describeAgent(
  identity: AgentIdentity | undefined,
  tenant: Tenant,
): { readonly agentId: AgentId } | undefined {
  return identity && { agentId: toAgentId(identity, tenant) }
}

function placeOf(list: string, page: Page): LogPlace | undefined {
  const [at, id] = decodePageToken(list, page, TIME_AND_ID) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

function tokenOf(list: string, last: LogPlace | undefined): string {
  return last === undefined ? '' : encodePageToken(list, [last.at.toString(), last.id])
}
