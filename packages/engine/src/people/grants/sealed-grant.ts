import { isDocument } from '@skein/core'
import type { PersonRef } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import type { PersonGrant } from '../sources/people-source.ts'

/** Bound to the person of one tenant: moved elsewhere, it cannot be opened. */
export function grantPlace(tenantId: string, { identityProvider, issuer, subject }: PersonRef): string {
  return `${tenantId}/person-grant/${JSON.stringify([identityProvider, issuer, subject])}`
}

export function sealGrant(
  { vault }: EngineResources,
  tenantId: string,
  person: PersonRef,
  grant: PersonGrant,
): string {
  return vault.seal(JSON.stringify(grant), grantPlace(tenantId, person))
}

/** Undefined if its master key is gone. */
export function openGrant(
  { vault }: EngineResources,
  tenantId: string,
  person: PersonRef,
  sealed: string,
): PersonGrant | undefined {
  try {
    const opened: unknown = JSON.parse(vault.open(sealed, grantPlace(tenantId, person)))
    return isGrant(opened) ? opened : undefined
  } catch {
    return undefined
  }
}

function isGrant(value: unknown): value is PersonGrant {
  if (!isDocument(value)) return false
  const { expiresAt } = value
  const texts = ['accessToken', 'refreshToken', 'apiUrl']
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    (expiresAt === undefined || typeof expiresAt === 'number')
  )
}
