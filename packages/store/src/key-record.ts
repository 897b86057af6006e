import { PROVIDERS, type Provider, type Role } from '@skein/contract'
import { ROLES } from '@skein/contract/facts'

/** What is stored of a key, as far as it says who holds it. */
export interface KeyRecord {
  readonly keyId: string
  readonly prefix: string
  readonly tenantId: string
  readonly tenant: { readonly provider: Provider; readonly org: string }
  readonly name: string
  readonly secretSha256: Uint8Array
  readonly ownerProvider: Provider
  readonly account: string
  readonly role: Role
  readonly pools: readonly string[]
  readonly servesAllTenants: boolean
  readonly expiresAt: number | undefined
  readonly isRevoked: boolean
}

export interface KeyRow {
  key_id: string
  prefix: string
  tenant_id: string
  tenant_provider: string
  tenant_org: string
  name: string
  secret_sha256: Uint8Array
  owner_provider: string
  account: string
  role: string
  pools: string[]
  all_tenants: boolean
  expires_at: Date | null
  revoked_at: Date | null
}

export function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    prefix: row.prefix,
    tenantId: row.tenant_id,
    tenant: { provider: oneOf(PROVIDERS, row.tenant_provider), org: row.tenant_org },
    name: row.name,
    secretSha256: row.secret_sha256,
    ownerProvider: oneOf(PROVIDERS, row.owner_provider),
    account: row.account,
    role: oneOf(ROLES, row.role),
    pools: row.pools,
    servesAllTenants: row.all_tenants,
    expiresAt: row.expires_at?.getTime(),
    isRevoked: row.revoked_at !== null,
  }
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw new Error(`The database holds ${text}, which this build does not know`)
  return value
}
