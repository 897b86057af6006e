import type { Documents } from '@skein/contract'
import { isForPeople } from '@skein/contract/facts'
import type { Destination } from '@skein/core'
import { CatalogStore, findOwnTenant, SealedValueStore, type Transaction } from '@skein/store'
import type { Tenant } from '@skein/contract'
import { parseReadable } from '../../catalog/parse-readable.ts'
import { placeOf } from '../../catalog/secrets.ts'
import type { EngineResources } from '../../resources.ts'

export const INTEGRATION = 'integration'

/** More than a tenant can reasonably need. Those beyond get nothing, in the order of their names. */
export const MAX_INTEGRATIONS = 200

const DAY_MS = 24 * 60 * 60 * 1000

type Integration = Documents['integration']

/** The tenant's integrations that are enabled. One that cannot be read must not stop the others. */
export async function findDestinations(transaction: Transaction): Promise<DelayedDestination[]> {
  const records = await new CatalogStore(transaction).listAfter(INTEGRATION, '', MAX_INTEGRATIONS)
  return records.flatMap(({ name, document }) => {
    const integration = document && parseIntegration(name, document)
    return integration && !integration.disabled ? [toDestination(name, integration)] : []
  })
}

/** With how long to wait for more, which only messages for people do. */
export type DelayedDestination = Destination & { readonly delayMs: number }

function toDestination(name: string, integration: Integration): DelayedDestination {
  if (!isForPeople(integration.type)) return { name, filter: integration, delayMs: 0 }
  return { name, filter: integration, topics: integration, delayMs: integration.groupSeconds * 1000 }
}

export function parseIntegration(name: string, document: object): Integration | undefined {
  return parseReadable(INTEGRATION, name, document)
}

/** What is needed to send events to an integration. */
export interface Receiver {
  readonly name: string
  readonly integration: Integration
  /** Empty for e-mail, and if its secret contains none. */
  readonly url: string
  readonly tenant: Tenant
  /** The newest first. */
  readonly signingKeys: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Identifies the integration among those of all tenants. */
export function senderOf({ name, tenant }: Receiver): string {
  return `${tenant.provider}/${tenant.org}/${name}`
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
  const openSecret = async (secret: string) => {
    const secretRef = { kind: 'secret', name: secret }
    const sealed = await values.find(secretRef)
    return sealed === undefined ? undefined : vault.open(sealed, placeOf(tenantId, secretRef))
  }
  const headers: Record<string, string> = {}
  for (const [header, secret] of Object.entries(integration.headers)) {
    const value = await openSecret(secret)
    if (value !== undefined) headers[header] = value
  }
  const { url, urlSecret } = integration
  return {
    name,
    integration,
    url: urlSecret === '' ? url : ((await openSecret(urlSecret))?.trim() ?? ''),
    tenant: await findOwnTenant(transaction),
    signingKeys: sealedKeys.map((sealed) => vault.open(sealed, placeOf(tenantId, ref))),
    headers,
  }
}
