import { isForPeople } from '@skein/contract/facts'
import type { Ceiling, Document, ResourceRef } from '@skein/core'
import { EndpointStore, OutboxReader, TriggerStore, type Transaction } from '@skein/store'
import { requireRoom } from './require-room.ts'

const INTEGRATION = 'integration'
const TRIGGER = 'trigger'

interface Written {
  readonly document: Document
  readonly isNew: boolean
  readonly ceiling: Ceiling
}

/**
 * What a write of an integration means for its endpoint: events are sent from now on, whatever failed before. A trigger
 * can get requests from now on.
 */
export async function followWrite(
  transaction: Transaction,
  { kind, name }: ResourceRef,
  { document, isNew, ceiling }: Written,
): Promise<void> {
  if (kind === INTEGRATION) {
    await new OutboxReader(transaction).begin()
    await new EndpointStore(transaction).put(name, {
      isGrouped: isForPeople(String(document['type'])),
    })
  }
  if (kind === TRIGGER) {
    const triggers = new TriggerStore(transaction)
    await triggers.put(name)
    if (isNew) await requireRoom(transaction, { kind: TRIGGER, count: () => triggers.count(), ceiling })
  }
}

/** What was on its way to a deleted integration is not sent, and the requests of a deleted trigger are forgotten. */
export async function followDelete(transaction: Transaction, { kind, name }: ResourceRef): Promise<void> {
  if (kind === INTEGRATION) await new EndpointStore(transaction).remove(name)
  if (kind === TRIGGER) await new TriggerStore(transaction).remove(name)
}
