import {
  SkeinError,
  type CodeHostDocument,
  type IdentityProviderDocument,
  type TenantInput,
} from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import { CatalogStore, findTenantId, SealedValueStore, type Database, type Transaction } from '@skein/store'
import { parseReadable } from '../catalog/parse-readable.ts'
import { placeOf } from '../catalog/secrets.ts'
import { findCodeHost } from '../catalog/find-code-host.ts'
import type { EngineResources } from '../resources.ts'

const KIND = 'identity-provider'

const providerNotFound = () => new SkeinError('IDENTITY_PROVIDER_NOT_FOUND')

/** A code host that people can sign in with. */
interface SignInHost extends CodeHostDocument {
  readonly type: Exclude<CodeHostDocument['type'], 'gitlab'>
}

/** What people sign in with, as it is described now. */
export interface UsableProvider {
  readonly document: IdentityProviderDocument
  /** If it is a code host. */
  readonly host: SignInHost | undefined
}

export interface FoundProvider extends UsableProvider {
  readonly tenantId: string
  readonly name: string
}

/** A provider that people can sign in with now. The same error for an unknown tenant, so that its name cannot be tried. */
export async function requireProvider(
  { database }: EngineResources,
  { provider, org }: TenantInput,
  name: string,
): Promise<FoundProvider> {
  const tenant = { provider: provider ?? 'PROVIDER_UNSPECIFIED', org: org ?? '' }
  const tenantId = await database.statement((transaction) => findTenantId(transaction, tenant))
  const found = tenantId === undefined ? undefined : await findUsableProvider(database, tenantId, name)
  if (!found) throw providerNotFound()
  return found
}

/** The same for a tenant that is known. */
export async function findUsableProvider(
  database: Database,
  tenantId: string,
  name: string,
): Promise<FoundProvider | undefined> {
  const found = await database.forTenant(tenantId, (transaction) => findUsable(transaction, name))
  return found && { tenantId, name, ...found }
}

/** The same, with what signs us in there. */
export async function requireClient(
  { database, vault }: EngineResources,
  tenantId: string,
  name: string,
): Promise<{ readonly usable: UsableProvider; readonly secret: string }> {
  const { usable, sealed } = await database.forTenant(tenantId, async (transaction) => {
    const found = await findUsable(transaction, name)
    const ref = { kind: 'secret', name: found?.document.clientSecret ?? '' }
    return { usable: found, sealed: found && (await new SealedValueStore(transaction).find(ref)) }
  })
  if (!usable || sealed === undefined) throw providerNotFound()
  const place = placeOf(tenantId, { kind: 'secret', name: usable.document.clientSecret })
  return { usable, secret: vault.open(sealed, place).trim() }
}

/** Each provider has its own, so that one cannot pass on what another answered. */
export function callbackPath({ provider, org }: TenantInput, name: string): string {
  return `/sign-in/callback/${providerName(provider ?? '')}/${encodeURIComponent(org ?? '')}/${name}`
}

export function parseOffered(name: string, document: object): IdentityProviderDocument | undefined {
  const parsed = parseReadable(KIND, name, document)
  return parsed?.paused === true ? undefined : parsed
}

/** The same as it is now. It and its directory stay so until the transaction ends. */
export async function lockUsable(
  transaction: Transaction,
  name: string,
): Promise<UsableProvider | undefined> {
  const catalog = new CatalogStore(transaction)
  await catalog.lockReferences([
    { kind: KIND, name },
    { kind: 'directory', name },
  ])
  const codeHost = (await findUsable(transaction, name))?.document.codeHost ?? ''
  if (codeHost !== '') await catalog.lockReferences([{ kind: 'code-host', name: codeHost }])
  return findUsable(transaction, name)
}

async function findUsable(transaction: Transaction, name: string): Promise<UsableProvider | undefined> {
  const stored = (await new CatalogStore(transaction).find({ kind: KIND, name }))?.document
  const document = stored && parseOffered(name, stored)
  if (!document) return undefined
  if (document.codeHost === '') return { document, host: undefined }
  const host = await findCodeHost(transaction, document.codeHost)
  if (!host || host.type === 'gitlab') return undefined
  return { document, host: { ...host, type: host.type } }
}
