import { encodeBase64, formatTimestamp, SkeinError, type TriggerDelivery } from '@skein/contract'
import { resourceNotFound, seesWorkspace, type Viewer } from '@skein/core'
import {
  CatalogStore,
  TriggerDeliveryStore,
  type Transaction,
  type TriggerDeliveryRecord,
} from '@skein/store'
import { maybeTime } from '../../agents/describe-agent.ts'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../../paging.ts'
import type { EngineResources } from '../../resources.ts'
import { TRIGGER } from './find-trigger.ts'

const LIST = 'trigger-deliveries'
const NEWEST = 2n ** 63n - 1n

/** Requests to a trigger, newest first. */
export function listTriggerDeliveries(
  { database }: EngineResources,
  viewer: Viewer,
  { tenantId, trigger }: { readonly tenantId: string; readonly trigger: string },
  page: Page,
): Promise<{ deliveries: TriggerDelivery[]; nextPageToken: string }> {
  const [before = NEWEST.toString()] = decodePageToken(LIST, page, /^[0-9]{1,18}$/) ?? []
  const pageSize = pageSizeOf(page)
  return database.forTenant(tenantId, async (transaction) => {
    await requireTrigger(transaction, trigger)
    const records = await new TriggerDeliveryStore(transaction).list(trigger, BigInt(before), pageSize + 1)
    const { shown, last } = splitPage(records, pageSize)
    return {
      deliveries: shown.flatMap((record) => seenDelivery(viewer, record) ?? []).map(describeDelivery),
      nextPageToken: last === undefined ? '' : encodePageToken(LIST, [last.number.toString()]),
    }
  })
}

/** One request with its body. */
export function readTriggerDelivery(
  { database }: EngineResources,
  tenantId: string,
  { trigger, deliveryId }: { readonly trigger: string; readonly deliveryId: string },
): Promise<{ delivery: TriggerDelivery; headers: Record<string, string>; body: string }> {
  return database.forTenant(tenantId, async (transaction) => {
    const record = await requireDelivery(transaction, trigger, deliveryId)
    const body = await new TriggerDeliveryStore(transaction).body(trigger, deliveryId)
    return {
      delivery: describeDelivery(record),
      headers: { ...record.headers },
      body: encodeBase64(body ?? new Uint8Array()),
    }
  })
}

export async function requireDelivery(
  transaction: Transaction,
  trigger: string,
  deliveryId: string,
): Promise<TriggerDeliveryRecord> {
  await requireTrigger(transaction, trigger)
  const record = await new TriggerDeliveryStore(transaction).find(trigger, deliveryId)
  if (!record) throw new SkeinError('DELIVERY_NOT_FOUND')
  return record
}

async function requireTrigger(transaction: Transaction, name: string): Promise<void> {
  const record = await new CatalogStore(transaction).find({ kind: TRIGGER, name })
  if (!record?.document) throw resourceNotFound(TRIGGER, name)
}

/** A trigger may have had another workspace when the request came. */
export function seenDelivery(
  viewer: Viewer,
  record: TriggerDeliveryRecord | undefined,
): TriggerDeliveryRecord | undefined {
  return record && seesWorkspace(viewer, record.workspace) ? record : undefined
}

const OUTCOMES = ['PENDING', 'IGNORED', 'SPAWNED', 'SENT', 'REFUSED', 'FAILED'] as const

export function describeDelivery(record: TriggerDeliveryRecord): TriggerDelivery {
  const { id, reason, agent, workspace, account, redeliveryOf = '', hasBody } = record
  return {
    id,
    time: formatTimestamp(record.receivedAt),
    outcome: OUTCOMES.find((outcome) => outcome === record.outcome) ?? 'PENDING',
    reason,
    agent,
    workspace,
    account,
    endTime: maybeTime(record.endedAt),
    redeliveryOf,
    isKept: hasBody,
  }
}
