import { isDocument, type Document } from '../catalog/document.ts'
import { valuesAt } from './claims.ts'

export interface VouchedGroups {
  /** With only those groups that belong to an organization which the document means. */
  readonly claims: Document
  /** Organizations that nobody came from before, with the host's number. */
  readonly found: ReadonlyMap<string, string>
}

/**
 * A name of an organization can be given up and taken by somebody else, so it means the one that it meant at first. Other
 * organizations give nobody anything.
 */
export function vouchedGroups(
  organizations: readonly string[],
  claims: Document,
  pins: ReadonlyMap<string, string>,
): VouchedGroups {
  const ids = isDocument(claims['organization_ids']) ? claims['organization_ids'] : {}
  const meant = new Map<string, string>()
  for (const organization of organizations.map((name) => name.toLowerCase())) {
    const id = Object.hasOwn(ids, organization) ? ids[organization] : undefined
    if (typeof id === 'string' && (pins.get(organization) ?? id) === id) meant.set(organization, id)
  }
  const groups = valuesAt(claims, 'groups').filter(
    (group) => typeof group === 'string' && meant.has(group.split(':', 1)[0] ?? ''),
  )
  const found = new Map([...meant].filter(([organization]) => !pins.has(organization)))
  return { claims: { ...claims, groups }, found }
}
