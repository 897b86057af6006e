import { vouchedGroups, type Document, type VouchedGroups } from '@skein/core'
import { OrganizationPinStore, type PersonRef, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { UsableProvider } from './find-provider.ts'

type PinnedProvider = Pick<PersonRef, 'identityProvider' | 'issuer'>

/** What the claims of a code host are worth. Those of an OpenID Connect provider are taken as they are. */
export async function readVouched(
  { database }: EngineResources,
  tenantId: string,
  { identityProvider, issuer }: PinnedProvider,
  { document, host }: UsableProvider,
  claims: Document,
): Promise<VouchedGroups> {
  if (!host) return { claims, found: new Map() }
  const pins = await database.forTenant(tenantId, (transaction) =>
    new OrganizationPinStore(transaction).list(identityProvider, issuer),
  )
  return vouchedGroups(document.organizations, claims, pins)
}

/** Remembers what the names mean. False if one means something else since it was looked up. */
export async function pinOrganizations(
  transaction: Transaction,
  { identityProvider, issuer }: PinnedProvider,
  { found }: VouchedGroups,
): Promise<boolean> {
  const store = new OrganizationPinStore(transaction)
  for (const [organization, id] of found) {
    if (await store.add(identityProvider, issuer, organization, id)) continue
    if ((await store.list(identityProvider, issuer)).get(organization) !== id) return false
  }
  return true
}
