import { isDividedByTeams } from '@skein/contract/facts'
import { builtInsOf, type Caller, type CallerTeams } from '@skein/core'
import { TeamStore, type Database } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** Like a revoked key: every server must notice within 5 s. Half of that leaves room for a slow response. */
const CACHE_TTL_MS = 2_500
/** From then on it is read again while requests go on with what is known, so that hardly any of them waits. */
const REFRESH_AFTER_MS = 1_200
const MAX_TENANTS = 10_000

type TeamOf = CallerTeams['teamOf']

interface Known {
  /** Null for a tenant without teams. Shared by all who ask at the same time. */
  readonly division: Promise<TeamOf | null>
  readonly readAt: number
  isRefreshing: boolean
}

/** Knows, for a few seconds, how tenants are divided. Who belongs to a team is known together with its key. */
export class TeamDirectory {
  readonly #database: Database
  readonly #tenants = new LRUCache<string, Known>({ max: MAX_TENANTS, ttl: CACHE_TTL_MS })

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
    if (!known) return this.#remember(tenantId, this.#read(tenantId), performance.now())
    if (!known.isRefreshing && performance.now() - known.readAt > REFRESH_AFTER_MS) {
      known.isRefreshing = true
      void this.#refresh(tenantId, known)
    }
    return known.division
  }

  /** Keeps nothing that was forgotten meanwhile. If it fails, the next request after the expiry is told. */
  async #refresh(tenantId: string, known: Known): Promise<void> {
    const readAt = performance.now()
    try {
      const division = await this.#read(tenantId)
      if (this.#tenants.peek(tenantId) === known)
        void this.#remember(tenantId, Promise.resolve(division), readAt)
    } catch {
      known.isRefreshing = false
    }
  }

  /** For as long as it may be used since the read began. A failed read is not remembered. */
  #remember(tenantId: string, division: Known['division'], readAt: number): Known['division'] {
    const known = { division, readAt, isRefreshing: false }
    const ttl = Math.max(1, CACHE_TTL_MS - (performance.now() - readAt))
    this.#tenants.set(tenantId, known, { ttl })
    division.catch(() => {
      if (this.#tenants.peek(tenantId) === known) this.#tenants.delete(tenantId)
    })
    return division
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
