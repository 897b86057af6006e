import type { TriggerDocument } from '@skein/contract'
import { CatalogStore, SealedValueStore, type Transaction } from '@skein/store'
import { parseReadable } from '../../catalog/parse-readable.ts'
import { placeOf } from '../../catalog/secrets.ts'
import type { EngineResources } from '../../resources.ts'

export const TRIGGER = 'trigger'

/** How long the previous key remains valid. */
const OVERLAP_MS = 24 * 60 * 60 * 1000

/** Undefined if there is none, or if it cannot be read until it is written again. */
export async function findTrigger(
  transaction: Transaction,
  name: string,
): Promise<TriggerDocument | undefined> {
  const document = (await new CatalogStore(transaction).find({ kind: TRIGGER, name }))?.document
  return document && parseTrigger(name, document)
}

export function parseTrigger(name: string, document: object): TriggerDocument | undefined {
  return parseReadable(TRIGGER, name, document)
}

/** The keys that senders may use, the newest first. Looks up both places, so that it always takes the same time. */
export async function findKeys(
  { vault, clock }: EngineResources,
  transaction: Transaction,
  tenantId: string,
  { name, secret }: { readonly name: string; readonly secret: string },
): Promise<string[]> {
  const values = new SealedValueStore(transaction)
  const own = { kind: TRIGGER, name }
  const theirs = { kind: 'secret', name: secret }
  const sealed = await values.findSince(own, clock.now() - OVERLAP_MS)
  const given = await values.find(theirs)
  if (secret !== '') return given === undefined ? [] : [vault.open(given, placeOf(tenantId, theirs))]
  return sealed.map((value) => vault.open(value, placeOf(tenantId, own)))
}
