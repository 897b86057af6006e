import type { DirectoryDocument, IdentityProviderDocument } from '@skein/contract'
import type { TeamRole } from '@skein/contract/facts'
import type { Document } from '../catalog/document.ts'
import { isIdentifier, valuesAt } from './claims.ts'
import { decidePerson, teamsOf, verifiedEmail, type PersonDecision } from './person.ts'

/** The values of a claim that a directory's groups stand for, with the team that each gives. */
export type TeamByGroup = IdentityProviderDocument['teams'][number]

export type ListedDecision =
  | (Extract<PersonDecision, { type: 'allowed' }> & {
      /** Those that the directory's groups give. They change with the groups, the others at the next sign-in. */
      readonly directoryTeams: Readonly<Record<string, TeamRole>>
    })
  | Extract<PersonDecision, { type: 'refused' }>

/** Whether people have to sign in again: before that, the directory does not know who they are. */
export function changesListing(before: Document | undefined, after: Document): boolean {
  return before === undefined || DECIDING.some((field) => before[field] !== after[field])
}

const DECIDING = [
  'userAttribute',
  'claim',
  'groupsClaim',
  'onlyListed',
] as const satisfies (keyof DirectoryDocument)[]

/** What recognises the person in the directory; empty if the claims do not say. */
export function directoryValue({ claim }: Pick<DirectoryDocument, 'claim'>, claims: Document): string {
  // An address that is not verified is what somebody claims to have.
  const value = claim === 'email' ? verifiedEmail(claims) : valuesAt(claims, claim)[0]
  return isIdentifier(value) ? value : ''
}

/** As it is compared: user names whatever their case. One that only looks like another is none. */
export function listedValue(
  { userAttribute }: Pick<DirectoryDocument, 'userAttribute'>,
  value: string,
): string {
  if (userAttribute !== 'userName') return value
  return value.normalize('NFKC') === value ? value.toLowerCase() : ''
}

/** Who a person is whom the directory lists in these groups. */
export function decideListed(
  provider: IdentityProviderDocument,
  claims: Document,
  { groupsClaim, groups }: Pick<DirectoryDocument, 'groupsClaim'> & { readonly groups: readonly string[] },
): ListedDecision {
  const withGroups = { ...claims, [groupsClaim]: groups }
  const others = provider.teams.filter(({ claim }) => claim !== groupsClaim)
  const decision = decidePerson({ ...provider, teams: others }, withGroups)
  if (decision.type === 'refused') return decision
  return {
    ...decision,
    directoryTeams: teamsOf({ teams: teamsByGroup(provider, groupsClaim) }, withGroups),
  }
}

export function teamsByGroup({ teams }: IdentityProviderDocument, groupsClaim: string): TeamByGroup[] {
  return teams.filter(({ claim }) => claim === groupsClaim)
}

/** The names of groups that give a role. */
export function groupsWithRole(
  { roles }: IdentityProviderDocument,
  groupsClaim: string,
): ReadonlySet<string> {
  return new Set(roles.filter(({ claim }) => claim === groupsClaim).map(({ value }) => value))
}
