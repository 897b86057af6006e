import { isDividedByTeams } from '@skein/contract/facts'
import { builtInsOf, type Caller, type CallerTeams } from '@skein/core'
import { TeamStore, type Database } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** Like a revoked key: every server must notice within 5 s. Half of that leaves room for a slow response. */
const CACHE_TTL_MS = 2_500
const MAX_TENANTS = 10_000

type TeamOf = CallerTeams['teamOf']

/** Knows, for a few seconds, how tenants are divided. Who belongs to a team is known together with its key. */
export class TeamDirectory {
  readonly #database: Database
  /** Null for a tenant without teams. The promises are shared by all who ask at the same time. */
  readonly #tenants = new LRUCache<string, Promise<TeamOf | null>>({ max: MAX_TENANTS, ttl: CACHE_TTL_MS })

  constructor(database: Database) {
    this.#database = database.urgent
  }

  /** The caller with its teams, unless these don't concern it. */
  async divide(caller: Caller, roles: CallerTeams['roles']): Promise<Caller> {
    if (!isDividedByTeams(caller.role)) return caller
    const teamOf = await this.#divisionOf(caller.tenantId)
    return teamOf ? { ...caller, teams: { teamOf, roles } } : caller
  }

  /** After a change on this server. The others notice when what they know has expired. */
  forget(tenantId: string): void {
    this.#tenants.delete(tenantId)
  }

  #divisionOf(tenantId: string): Promise<TeamOf | null> {
    const known = this.#tenants.get(tenantId)
    if (known) return known
    const reading = this.#read(tenantId)
    this.#tenants.set(tenantId, reading)
    // A failed read is not remembered.
    reading.catch(() => {
      if (this.#tenants.peek(tenantId) === reading) this.#tenants.delete(tenantId)
    })
    return reading
  }

  #read(tenantId: string): Promise<TeamOf | null> {
    return this.#database.forTenant(tenantId, async (transaction) => {
      const stored = await new TeamStore(transaction).teamOfWorkspaces()
      if (!stored) return null
      const builtIn = builtInsOf('workspace').map(({ name }) => [name, ''] as const)
      return new Map([...builtIn, ...stored])
    })
  }
}
