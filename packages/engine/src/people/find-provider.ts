import { SkeinError, type IdentityProviderDocument, type TenantInput } from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import { parseDocument, StoredDocumentError } from '@skein/core'
import { CatalogStore, findTenantId, SealedValueStore, type Transaction } from '@skein/store'
import { placeOf } from '../catalog/secrets.ts'
import type { EngineResources } from '../resources.ts'
import type { ProviderClient } from './identity-providers.ts'

const KIND = 'identity-provider'

const providerNotFound = () => new SkeinError('IDENTITY_PROVIDER_NOT_FOUND')

export interface FoundProvider {
  readonly tenantId: string
  readonly name: string
  readonly document: IdentityProviderDocument
}

/** A provider that people can sign in with now. The same error for an unknown tenant, so that its name cannot be tried. */
export async function requireProvider(
  { database }: EngineResources,
  { provider, org }: TenantInput,
  name: string,
): Promise<FoundProvider> {
  const tenant = { provider: provider ?? 'PROVIDER_UNSPECIFIED', org: org ?? '' }
  const tenantId = await database.statement((transaction) => findTenantId(transaction, tenant))
  const document =
    tenantId && (await database.forTenant(tenantId, (transaction) => findUsable(transaction, name)))
  if (tenantId === undefined || !document) throw providerNotFound()
  return { tenantId, name, document }
}

/** The same, with what signs us in there. */
export async function requireClient(
  { database, vault, clock }: EngineResources,
  tenantId: string,
  name: string,
): Promise<{ readonly document: IdentityProviderDocument; readonly client: ProviderClient }> {
  const { document, sealed } = await database.forTenant(tenantId, async (transaction) => {
    const found = await findUsable(transaction, name)
    const ref = { kind: 'secret', name: found?.clientSecret ?? '' }
    return { document: found, sealed: found && (await new SealedValueStore(transaction).find(ref)) }
  })
  if (!document || sealed === undefined) throw providerNotFound()
  const { issuer, clientId, clientSecret } = document
  const secret = vault.open(sealed, placeOf(tenantId, { kind: 'secret', name: clientSecret })).trim()
  const skewSeconds = Math.round((clock.now() - Date.now()) / 1000)
  return { document, client: { issuer, clientId, secret, skewSeconds } }
}

/** Each provider has its own, so that one cannot pass on what another answered. */
export function callbackPath({ provider, org }: TenantInput, name: string): string {
  return `/sign-in/callback/${providerName(provider ?? '')}/${encodeURIComponent(org ?? '')}/${name}`
}

export function parseOffered(name: string, document: object): IdentityProviderDocument | undefined {
  try {
    const parsed = parseDocument(KIND, name, { ...document })
    return parsed.paused ? undefined : parsed
  } catch (error) {
    if (error instanceof StoredDocumentError) return undefined
    throw error
  }
}

/** The same as it is now, and it stays so until the transaction ends. */
export async function lockUsable(
  transaction: Transaction,
  name: string,
): Promise<IdentityProviderDocument | undefined> {
  await new CatalogStore(transaction).lockReferences([{ kind: KIND, name }])
  return findUsable(transaction, name)
}

async function findUsable(
  transaction: Transaction,
  name: string,
): Promise<IdentityProviderDocument | undefined> {
  const document = (await new CatalogStore(transaction).find({ kind: KIND, name }))?.document
  return document && parseOffered(name, document)
}
