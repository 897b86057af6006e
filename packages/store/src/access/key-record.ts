import type { Provider, Role } from '@skein/contract'
import { PROVIDERS, ROLES, TEAM_ROLES, type TeamRole } from '@skein/contract/facts'
import type { RowOf } from '../database/columns.ts'

/** A stored key, with what identifies its holder. */
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
  /** Why the holder's tenant is refused: see tenant_hold. */
  readonly hold: string | undefined
  /** The holder's teams, and its role in each. */
  readonly teamRoles: ReadonlyMap<string, TeamRole>
}

/** Not tokens, which can have the same name: these are told apart by their kind. */
const NAMED_WITH_KIND: ReadonlySet<string> = new Set(['identity-provider', 'workload-identity', 'directory'])

/** The columns authenticate_key returns, and the holder's teams. */
export const KEY = {
  key_id: 'text',
  tenant_id: 'uuid',
  tenant_provider: 'text',
  tenant_org: 'text',
  prefix: 'text',
  kind: 'text',
  name: 'text',
  secret_sha256: 'bytea',
  owner_provider: 'text',
  account: 'text',
  role: 'text',
  pools: 'text[]',
  all_tenants: 'boolean',
  expires_at: 'timestamptz?',
  revoked_at: 'timestamptz?',
  teams: 'json?',
  hold: 'text?',
} as const

export function toKeyRecord(row: RowOf<typeof KEY>): KeyRecord {
  return {
    keyId: row.key_id,
    prefix: row.prefix,
    tenantId: row.tenant_id,
    tenant: { provider: oneOf(PROVIDERS, row.tenant_provider), org: row.tenant_org },
    name: NAMED_WITH_KIND.has(row.kind) ? `${row.kind}/${row.name}` : row.name,
    secretSha256: row.secret_sha256,
    ownerProvider: oneOf(PROVIDERS, row.owner_provider),
    account: row.account,
    role: oneOf(ROLES, row.role),
    pools: row.pools,
    servesAllTenants: row.all_tenants,
    expiresAt: row.expires_at?.getTime(),
    isRevoked: row.revoked_at !== null,
    hold: row.hold ?? undefined,
    teamRoles: toRoles(row.teams),
  }
}

/** An object from team to role. */
function toRoles(teams: unknown): ReadonlyMap<string, TeamRole> {
  return new Map(Object.entries(teams ?? {}).map(([team, role]) => [team, oneOf(TEAM_ROLES, String(role))]))
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw new Error(`The database holds ${text}, which this build does not know`)
  return value
}
