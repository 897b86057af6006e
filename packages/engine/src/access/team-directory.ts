import { isDividedByTeams } from '@skein/contract/facts'
import { builtInsOf, type Caller, type CallerTeams } from '@skein/core'
import { TeamStore, type Database } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** Like a revoked key: every server must notice within 5 s. Half of that leaves room for a slow response. */
const CACHE_TTL_MS = 2_500
const MAX_TENANTS = 10_000
const MAX_ACCOUNTS = 10_000

type TeamOf = CallerTeams['teamOf']
type Roles = CallerTeams['roles']

/** Knows, for a few seconds, how tenants are divided and who belongs to what. */
export class TeamDirectory {
  readonly #database: Database
  /** Null for a tenant without teams. The promises are shared by all who ask at the same time. */
  readonly #tenants = new LRUCache<string, Promise<TeamOf | null>>({ max: MAX_TENANTS, ttl: CACHE_TTL_MS })
  readonly #accounts = new LRUCache<string, Promise<CallerTeams>>({ max: MAX_ACCOUNTS, ttl: CACHE_TTL_MS })

  constructor(database: Database) {
    this.#database = database.urgent
  }

  /** The caller with its teams, unless these don't concern it. */
  async divide(caller: Caller): Promise<Caller> {
    if (!isDividedByTeams(caller.role)) return caller
    const teams = await this.#teamsOf(caller)
    return teams ? { ...caller, teams } : caller
  }

  /** After a change on this server. The others notice when what they know has expired. */
  forget(tenantId: string): void {
    this.#tenants.delete(tenantId)
    for (const key of this.#accounts.keys()) if (key.startsWith(`${tenantId}/`)) this.#accounts.delete(key)
  }

  async #teamsOf({ tenantId, ownerProvider, account }: Caller): Promise<CallerTeams | undefined> {
    const teamOf = await this.#remember(this.#tenants, tenantId, () => this.#readTenant(tenantId))
    if (!teamOf) return undefined
    const key = `${tenantId}/${ownerProvider}/${account}`
    const known = await this.#remember(this.#accounts, key, async () => ({
      teamOf,
      roles: await this.#readRoles(tenantId, ownerProvider, account),
    }))
    // Both expire on their own: the division may be newer than the roles.
    return known.teamOf === teamOf ? known : { ...known, teamOf }
  }

  #readTenant(tenantId: string): Promise<TeamOf | null> {
    return this.#database.forTenant(tenantId, async (transaction) => {
      const stored = await new TeamStore(transaction).teamOfWorkspaces()
      if (!stored) return null
      const builtIn = builtInsOf('workspace').map(({ name }) => [name, ''] as const)
      return new Map([...builtIn, ...stored])
    })
  }

  #readRoles(tenantId: string, ownerProvider: string, account: string): Promise<Roles> {
    return this.#database.forTenant(tenantId, (transaction) =>
      new TeamStore(transaction).rolesOf(ownerProvider, account),
    )
  }

  /** A failed read is not remembered. */
  #remember<Value>(
    cache: LRUCache<string, Promise<Value>>,
    key: string,
    read: () => Promise<Value>,
  ): Promise<Value> {
    const known = cache.get(key)
    if (known) return known
    const reading = read()
    cache.set(key, reading)
    reading.catch(() => {
      if (cache.peek(key) === reading) cache.delete(key)
    })
    return reading
  }
}
