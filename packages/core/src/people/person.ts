import type { CodeHostDocument, IdentityProviderDocument } from '@skein/contract'
import { TEAM_ROLES, type TeamRole } from '@skein/contract/facts'
import type { Document } from '../catalog/document.ts'
import { valuesAt } from './claims.ts'

type PersonRole = IdentityProviderDocument['roles'][number]['role']

export type PersonDecision =
  | {
      readonly type: 'allowed'
      readonly account: string
      readonly role: PersonRole
      /** From team to the role in it. */
      readonly teams: Readonly<Record<string, TeamRole>>
    }
  /** In words for the person. */
  | { readonly type: 'refused'; readonly because: string }

const MAX_ACCOUNT = 255
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Each allows everything that the ones before it allow. */
const ROLES_BY_RIGHTS: readonly PersonRole[] = ['viewer', 'member', 'admin']

/** Who a person is in the tenant, by the claims of its identity provider. Denied unless the document allows it. */
export function decidePerson(provider: IdentityProviderDocument, claims: Document): PersonDecision {
  const email = verifiedEmail(claims)
  if (provider.emailDomains.length > 0 && !provider.emailDomains.includes(domainOf(email))) {
    return refuse('It needs a verified e-mail address in a domain that this tenant allows.')
  }
  const hd = claims['hd']
  if (provider.hostedDomains.length > 0 && !provider.hostedDomains.includes(text(hd).toLowerCase())) {
    return refuse('Your account belongs to another organization.')
  }
  if (provider.organizations.length > 0 && !isMember(provider.organizations, claims)) {
    return refuse('You are not a member of an organization that this tenant allows.')
  }
  const role = roleOf(provider, claims)
  if (role === undefined) return refuse('Your account has no role in this tenant.')
  const accountClaim = provider.codeHost === '' ? provider.accountClaim : 'preferred_username'
  const account = accountClaim === 'email' ? email : text(claims[accountClaim])
  if (account === '' || account.length > MAX_ACCOUNT || UNPRINTABLE.test(account)) {
    const claim = accountClaim === 'email' ? 'a verified e-mail address' : accountClaim
    return refuse(`The identity provider did not send ${claim}.`)
  }
  return { type: 'allowed', account, role, teams: teamsOf(provider, claims) }
}

/** Whether a change of the document ends the sessions of its people: it may have changed who they are and what they may do. */
export function endsSessions(before: Document | undefined, after: Document): boolean {
  if (before === undefined) return false
  return DECIDING.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
}

/** Whether a code host is no longer the one that people signed in with. */
export function isOtherHost(before: Document | undefined, after: Document): boolean {
  if (before === undefined) return false
  return PLACE.some((field) => before[field] !== after[field])
}

const PLACE = ['type', 'url', 'apiUrl'] as const satisfies (keyof CodeHostDocument)[]

const DECIDING = [
  'issuer',
  'codeHost',
  'organizations',
  'clientId',
  'accountClaim',
  'emailDomains',
  'hostedDomains',
  'roles',
  'defaultRole',
  'teams',
  'sessionDuration',
  'paused',
] as const satisfies (keyof IdentityProviderDocument)[]

function roleOf({ roles, defaultRole }: IdentityProviderDocument, claims: Document): PersonRole | undefined {
  const matching = roles.filter(({ claim, value }) => valuesAt(claims, claim).includes(value))
  const held = matching.map(({ role }) => role)
  if (defaultRole !== 'none') held.push(defaultRole)
  return ROLES_BY_RIGHTS.findLast((role) => held.includes(role))
}

function isMember(organizations: readonly string[], claims: Document): boolean {
  const groups = valuesAt(claims, 'groups')
  return organizations.some((organization) => groups.includes(organization.toLowerCase()))
}

export function teamsOf(
  { teams }: Pick<IdentityProviderDocument, 'teams'>,
  claims: Document,
): Record<string, TeamRole> {
  const matching = teams.filter(({ claim, value }) => valuesAt(claims, claim).includes(value))
  const byRights = matching.toSorted(
    (one, two) => TEAM_ROLES.indexOf(one.role) - TEAM_ROLES.indexOf(two.role),
  )
  // The last one counts, which allows most.
  return Object.fromEntries(byRights.map(({ team, role }) => [team, role]))
}

export function verifiedEmail({ email, email_verified: isVerified }: Document): string {
  // Some providers send it as text.
  return isVerified === true || isVerified === 'true' ? text(email).toLowerCase() : ''
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function refuse(because: string): PersonDecision {
  return { type: 'refused', because }
}
