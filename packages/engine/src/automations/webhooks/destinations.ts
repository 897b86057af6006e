import type { Documents } from '@skein/contract'
import { parseDocument, StoredDocumentError, type Destination } from '@skein/core'
import { CatalogStore, findOwnTenant, SealedValueStore, type Transaction } from '@skein/store'
import type { Tenant } from '@skein/contract'
import { placeOf } from '../../catalog/secrets.ts'
import type { EngineResources } from '../../resources.ts'

export const INTEGRATION = 'integration'

/** More than a tenant can reasonably need. Those beyond get nothing, in the order of their names. */
export const MAX_INTEGRATIONS = 200

const DAY_MS = 24 * 60 * 60 * 1000

type Integration = Documents['integration']

/** The tenant's integrations that are enabled. One that cannot be read must not stop the others. */
export async function findDestinations(transaction: Transaction): Promise<Destination[]> {
  const records = await new CatalogStore(transaction).listAfter(INTEGRATION, '', MAX_INTEGRATIONS)
  return records.flatMap(({ name, document }) => {
    const integration = document && parseIntegration(name, document)
    return integration && !integration.disabled ? [{ name, filter: integration }] : []
  })
}

export function parseIntegration(name: string, document: object): Integration | undefined {
  try {
    return parseDocument(INTEGRATION, name, { ...document })
  } catch (error) {
    if (error instanceof StoredDocumentError) return undefined
    throw error
  }
}

/** What is needed to send events to an integration. */
export interface Receiver {
  readonly integration: Integration
  readonly tenant: Tenant
  /** The newest first. */
  readonly signingKeys: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Undefined if there is none any more, or it is disabled and that matters. */
export async function findReceiver(
  { vault, clock }: EngineResources,
  transaction: Transaction,
  { tenantId, integration: name }: { readonly tenantId: string; readonly integration: string },
  { evenDisabled }: { readonly evenDisabled: boolean } = { evenDisabled: false },
): Promise<Receiver | undefined> {
  const ref = { kind: INTEGRATION, name }
  const document = (await new CatalogStore(transaction).find(ref))?.document
  const integration = document && parseIntegration(name, document)
  if (!integration || (integration.disabled && !evenDisabled)) return undefined
  const values = new SealedValueStore(transaction)
  const sealedKeys = await values.findSince(ref, clock.now() - DAY_MS)
  const headers: Record<string, string> = {}
  for (const [header, secret] of Object.entries(integration.headers)) {
    const secretRef = { kind: 'secret', name: secret }
    const sealed = await values.find(secretRef)
    if (sealed !== undefined) headers[header] = vault.open(sealed, placeOf(tenantId, secretRef))
  }
  return {
    integration,
    tenant: await findOwnTenant(transaction),
    signingKeys: sealedKeys.map((sealed) => vault.open(sealed, placeOf(tenantId, ref))),
    headers,
  }
}
