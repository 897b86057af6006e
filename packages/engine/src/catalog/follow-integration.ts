import { SkeinError } from '@skein/contract'
import { isForPeople } from '@skein/contract/facts'
import type { Document, ResourceRef } from '@skein/core'
import { EndpointStore, OutboxReader, TriggerStore, type Transaction } from '@skein/store'

const INTEGRATION = 'integration'
const TRIGGER = 'trigger'

/** Each can keep a thousand bodies. */
const MAX_TRIGGERS = 100

/**
 * What a write of an integration means for its endpoint: events are sent from now on, whatever failed before. A trigger
 * can get requests from now on.
 */
export async function followWrite(
  transaction: Transaction,
  { kind, name }: ResourceRef,
  document: Document,
): Promise<void> {
  if (kind === TRIGGER) await addTrigger(transaction, name)
  if (kind !== INTEGRATION) return
  await new OutboxReader(transaction).begin()
  await new EndpointStore(transaction).put(name, {
    isGrouped: isForPeople(String(document['type'])),
  })
}

/** What was on its way to a deleted integration is not sent, and the requests of a deleted trigger are forgotten. */
export async function followDelete(transaction: Transaction, { kind, name }: ResourceRef): Promise<void> {
  if (kind === INTEGRATION) await new EndpointStore(transaction).remove(name)
  if (kind === TRIGGER) await new TriggerStore(transaction).remove(name)
}

async function addTrigger(transaction: Transaction, name: string): Promise<void> {
  const triggers = new TriggerStore(transaction)
  await triggers.put(name)
  if ((await triggers.count()) <= MAX_TRIGGERS) return
  throw new SkeinError('QUOTA_EXCEEDED', {
    message: `A tenant can have at most ${MAX_TRIGGERS} triggers.`,
    metadata: { limit: 'triggers', value: MAX_TRIGGERS.toString() },
  })
}
