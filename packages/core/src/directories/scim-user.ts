import { isDocument } from '../catalog/document.ts'
import { ScimError } from './scim-error.ts'
import { readPatch, type ScimChange } from './scim-patch.ts'
import { attributeOf, flagOf, requiredTextOf, requireObject, textOf } from './scim-values.ts'

/** What a directory says about a person. Other attributes are accepted and not kept. */
export interface ScimUser {
  readonly userName: string
  /** Empty if the directory sends none. */
  readonly externalId: string
  readonly active: boolean
  readonly displayName: string
  readonly givenName: string
  readonly familyName: string
  readonly email: string
}

/** More say nothing about a person that we keep. */
const MAX_EMAILS = 50

/** Whether somebody is active changes only if the directory says so. */
export function readUser(body: unknown, before?: Pick<ScimUser, 'active'>): ScimUser {
  const object = requireObject(body)
  const active = attributeOf(object, 'active')
  const name = attributeOf(object, 'name')
  return {
    userName: requiredTextOf(attributeOf(object, 'userName'), 'userName'),
    externalId: textOf(attributeOf(object, 'externalId'), 'externalId'),
    active: active === undefined || active === null ? (before?.active ?? true) : flagOf(active, 'active'),
    displayName: textOf(attributeOf(object, 'displayName'), 'displayName'),
    ...readName(name),
    email: readEmail(attributeOf(object, 'emails')),
  }
}

export function patchUser(user: ScimUser, body: unknown): ScimUser {
  return readPatch(body).reduce(applyChange, user)
}

function applyChange(user: ScimUser, change: ScimChange): ScimUser {
  const { op, path } = change
  const value = op === 'remove' ? undefined : change.value
  switch (path) {
    case 'username':
      return { ...user, userName: requiredTextOf(value, 'userName') }
    case 'active':
      if (op === 'remove') throw new ScimError(400, 'active cannot be removed.', 'mutability')
      return { ...user, active: flagOf(value, 'active') }
    case 'externalid':
      return { ...user, externalId: textOf(value, 'externalId') }
    case 'displayname':
      return { ...user, displayName: textOf(value, 'displayName') }
    case 'name':
      return { ...user, ...readName(value, op === 'remove' ? undefined : user) }
    case 'name.givenname':
      return { ...user, givenName: textOf(value, 'name.givenName') }
    case 'name.familyname':
      return { ...user, familyName: textOf(value, 'name.familyName') }
    case 'emails':
      return { ...user, email: readEmail(value) }
    default:
      return isWorkEmail(path) ? { ...user, email: textOf(value, 'emails.value') } : user
  }
}

/** `emails[type eq "work"].value`, as Entra ID sends it. */
function isWorkEmail(path: string): boolean {
  return /^emails\[(?:type eq "work"|primary eq (?:"true"|true))\]\.value$/i.test(path)
}

function readName(
  name: unknown,
  before?: Pick<ScimUser, 'givenName' | 'familyName'>,
): Pick<ScimUser, 'givenName' | 'familyName'> {
  const object = isDocument(name) ? name : {}
  return {
    givenName: textOf(attributeOf(object, 'givenName') ?? before?.givenName, 'name.givenName'),
    familyName: textOf(attributeOf(object, 'familyName') ?? before?.familyName, 'name.familyName'),
  }
}

/** The primary one, or the first. */
function readEmail(emails: unknown): string {
  const listed = (Array.isArray(emails) ? emails.slice(0, MAX_EMAILS) : []).filter(isDocument)
  const chosen = listed.find((email) => attributeOf(email, 'primary') === true) ?? listed[0]
  return chosen ? textOf(attributeOf(chosen, 'value'), 'emails.value') : ''
}
