import { isUuid } from '@skein/contract/facts'
import { isDocument } from '../catalog/document.ts'
import { invalidValue, ScimError } from './scim-error.ts'
import { readPatch, type ScimChange } from './scim-patch.ts'
import { attributeOf, requiredTextOf, requireObject, textOf } from './scim-values.ts'

export interface ScimGroup {
  readonly displayName: string
  /** Empty if the directory sends none. */
  readonly externalId: string
}

/** What becomes of the members: first all leave if they are replaced, then these leave, then those join. */
export interface MembersChange {
  readonly isReplaced: boolean
  readonly removed: ReadonlySet<string>
  readonly added: ReadonlySet<string>
}

/** In one request. Larger groups are sent in several. */
const MAX_MEMBERS = 10_000
const ONE_MEMBER = /^members\[value eq "([^"]{1,100})"\]$/i

export function readGroup(body: unknown): { readonly group: ScimGroup; readonly members: MembersChange } {
  const object = requireObject(body)
  const added = idsOf(attributeOf(object, 'members') ?? [])
  requireFew(added.length)
  return {
    group: {
      displayName: requiredTextOf(attributeOf(object, 'displayName'), 'displayName'),
      externalId: textOf(attributeOf(object, 'externalId'), 'externalId'),
    },
    members: { isReplaced: true, removed: new Set(), added: new Set(added) },
  }
}

export function patchGroup(
  before: ScimGroup,
  body: unknown,
): { readonly group: ScimGroup; readonly members: MembersChange } {
  let { displayName, externalId } = before
  let named = 0
  const members = { isReplaced: false, removed: new Set<string>(), added: new Set<string>() }
  for (const change of readPatch(body)) {
    const { op, path } = change
    const value = op === 'remove' ? undefined : change.value
    if (path === 'displayname') displayName = requiredTextOf(value, 'displayName')
    else if (path === 'externalid') externalId = textOf(value, 'externalId')
    else if (path.startsWith('members')) {
      const ids = applyToMembers(members, change)
      named += ids
      requireFew(named)
    }
  }
  return { group: { displayName, externalId }, members }
}

/** Returns how many it names. */
function applyToMembers(
  members: { isReplaced: boolean; removed: Set<string>; added: Set<string> },
  { op, path, value }: ScimChange,
): number {
  const [, one] = ONE_MEMBER.exec(path) ?? []
  if (one === undefined && path !== 'members') {
    throw new ScimError(400, 'Members are named as members or members[value eq "id"].', 'invalidPath')
  }
  // Entra ID names those to remove in the value. Nobody named means everyone.
  const isEveryone = op === 'remove' && one === undefined && (value === undefined || value === null)
  const ids = one === undefined ? (isEveryone ? [] : idsOf(value)) : [one.toLowerCase()]
  if (op === 'replace' || isEveryone) {
    members.isReplaced = true
    members.removed.clear()
    members.added.clear()
  }
  for (const id of ids) {
    if (op === 'remove') {
      members.added.delete(id)
      members.removed.add(id)
    } else {
      members.removed.delete(id)
      members.added.add(id)
    }
  }
  return ids.length
}

/** A list of `{ "value": id }`, or a single one. */
function idsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((member: unknown) => {
    const id: unknown = isDocument(member) ? attributeOf(member, 'value') : member
    if (typeof id === 'string' && isUuid(id.toLowerCase())) return id.toLowerCase()
    throw invalidValue('Each member must have the id of a user as its value.')
  })
}

function requireFew(amount: number): void {
  if (amount <= MAX_MEMBERS) return
  throw new ScimError(400, `At most ${MAX_MEMBERS} members are accepted in one request.`, 'tooMany')
}
