import type { FieldViolation } from '@skein/contract'
import { PROVIDERS, TEAM_ROLES, type Provider, type TeamRole } from '@skein/contract/facts'
import { isDocument, type Document } from './document.ts'

export interface TeamMember {
  readonly ownerProvider: Provider
  readonly account: string
  readonly role: TeamRole
}

/** Expects a valid document. */
export function teamMembers({ members }: Document): TeamMember[] {
  return (Array.isArray(members) ? members.filter(isDocument) : []).map(
    ({ ownerProvider, account, role }) => ({
      ownerProvider: PROVIDERS.find((known) => known === ownerProvider) ?? 'PROVIDER_UNSPECIFIED',
      account: String(account),
      role: TEAM_ROLES.find((known) => known === role) ?? 'viewer',
    }),
  )
}

/** An unspecified provider of a member means the writer's own. */
export function withMemberProviders(document: Document, provider: Provider): Document {
  const { members } = document
  if (!Array.isArray(members)) return document
  return {
    ...document,
    members: members.map((member: unknown) =>
      isDocument(member) && member['ownerProvider'] === 'PROVIDER_UNSPECIFIED'
        ? { ...member, ownerProvider: provider }
        : member,
    ),
  }
}

/** Two entries for one account would contradict each other. */
export function* teamViolations(document: Document): Generator<FieldViolation> {
  const seen = new Set<string>()
  for (const [index, { ownerProvider, account }] of teamMembers(document).entries()) {
    const key = `${ownerProvider}/${account}`
    if (seen.has(key)) yield { field: `members[${index}].account`, description: 'is listed twice' }
    seen.add(key)
  }
}
