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

interface LogOf {
  readonly tenantId: string
  readonly integration: string
}

/** Requests to the receiver, newest first. */
export async function listDeliveries(
  engine: EngineResources,
  tenantId: string,
  { integration, onlyFailed }: { readonly integration: string; readonly onlyFailed: boolean },
  page: Page,
): Promise<{ deliveries: Delivery[]; nextPageToken: string }> {
  const { entries, nextPageToken } = await readLogPage(
    engine,
    { tenantId, integration },
    { ...page, list: 'deliveries' },
    (log, before, limit) => log.list(integration, before, { limit, onlyFailed }),
    describeDelivery,
  )
  return { deliveries: entries, nextPageToken }
}

/** What was given up, newest first. */
export async function listDeadLetters(
  engine: EngineResources,
  tenantId: string,
  integration: string,
  page: Page,
): Promise<{ deadLetters: DeadLetter[]; nextPageToken: string }> {
  const { entries, nextPageToken } = await readLogPage(
    engine,
    { tenantId, integration },
    { ...page, list: 'dead-letters' },
    (log, before, limit) => log.deadLetters(integration, before, limit),
    (record, tenant) => ({
      id: record.id,
      time: formatTimestamp(record.at),
      ...describeAgent(record.identity, tenant),
      firstSequence: formatInt64(record.firstSequence),
      lastSequence: formatInt64(record.lastSequence),
      error: record.error,
    }),
  )
  return { deadLetters: entries, nextPageToken }
}

function readLogPage<Record extends LogPlace, Entry>(
  { database }: EngineResources,
  { tenantId, integration }: LogOf,
  { list, ...page }: Page & { readonly list: string },
  read: (log: DeliveryLog, before: LogPlace | undefined, limit: number) => Promise<Record[]>,
  describe: (record: Record, tenant: Tenant) => Entry,
): Promise<{ entries: Entry[]; nextPageToken: string }> {
  const before = placeOf(list, page)
  const pageSize = pageSizeOf(page)
  return database.forTenant(tenantId, async (transaction) => {
    await requireIntegration(transaction, integration)
    const records = await read(new DeliveryLog(transaction), before, pageSize + 1)
    const { shown, last } = splitPage(records, pageSize)
    const tenant = await findOwnTenant(transaction)
    return {
      entries: shown.map((record) => describe(record, tenant)),
      nextPageToken: tokenOf(list, last),
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
