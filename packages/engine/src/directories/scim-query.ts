import { isUuid } from '@skein/contract/facts'
import { ScimError } from '@skein/core'

/** What a list is asked for. */
export interface ScimQuery {
  readonly filter: string | undefined
  /** From 1. */
  readonly startIndex: number
  readonly count: number
}

export interface ScimPage<Resource> {
  /** How many there are in all. */
  readonly total: number
  readonly resources: readonly Resource[]
}

/** Users or groups. Names and external ids are unique among them. */
interface ScimStore<Found> {
  find(id: string): Promise<Found | undefined>
  findByName(name: string): Promise<Found | undefined>
  findByExternalId(externalId: string): Promise<Found | undefined>
}

/** Whatever was sent as an id: anything but an id names nothing. */
export function toId(text: string): string | undefined {
  const id = text.toLowerCase()
  return isUuid(id) ? id : undefined
}

async function findById<Found>(
  store: Pick<ScimStore<Found>, 'find'>,
  text: string,
): Promise<Found | undefined> {
  const id = toId(text)
  return id === undefined ? undefined : store.find(id)
}

export async function requireById<Found>(
  store: Pick<ScimStore<Found>, 'find'>,
  text: string,
  what: 'user' | 'group',
): Promise<Found> {
  const found = await findById(store, text)
  if (found === undefined) throw new ScimError(404, `The directory has no such ${what}.`)
  return found
}

/** By what a filter compares; anything but a name and an external id is an id. */
export function findBy<Found>(
  store: ScimStore<Found>,
  { attribute, value }: { readonly attribute: string; readonly value: string },
): Promise<Found | undefined> {
  if (attribute === 'username' || attribute === 'displayname') return store.findByName(value)
  return attribute === 'externalid' ? store.findByExternalId(value) : findById(store, value)
}

export async function requireUnique(
  store: ScimStore<{ readonly id: string }>,
  wanted: { readonly name: string; readonly externalId: string; readonly own: string | undefined },
  { what, nameAttribute }: { readonly what: 'user' | 'group'; readonly nameAttribute: string },
): Promise<void> {
  const taken = (attribute: string) =>
    new ScimError(409, `Another ${what} of the directory has this ${attribute}.`, 'uniqueness')
  const named = await store.findByName(wanted.name)
  if (named && named.id !== wanted.own) throw taken(nameAttribute)
  const known = wanted.externalId === '' ? undefined : await store.findByExternalId(wanted.externalId)
  if (known && known.id !== wanted.own) throw taken('externalId')
}
