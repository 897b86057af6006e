import { awaitsRunner, type AgentState } from '@skein/core'
import { listOnlinePools, type Database } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** A poll is held for up to a minute and noted every 20 seconds: whoever was silent for longer is gone. */
export const ONLINE_MS = 90_000

/** Lists and watches ask for each agent that waits; a runner that comes takes what waits within this time anyway. */
const KEPT_MS = 1_000
const MAX_TENANTS = 10_000

const NONE: ReadonlySet<string> = new Set()

/** The pools of each tenant that a runner serves now. */
export class OnlinePools {
  readonly #known: LRUCache<string, ReadonlySet<string>>

  constructor(database: Database) {
    this.#known = new LRUCache<string, ReadonlySet<string>>({
      max: MAX_TENANTS,
      ttl: KEPT_MS,
      fetchMethod: async (tenantId) =>
        new Set(await database.statement((transaction) => listOnlinePools(transaction, tenantId, ONLINE_MS))),
    })
  }

  /** Empty, without a question to the database, where none of these agents waits for a runner. */
  async forAgents(tenantId: string, agents: readonly AgentState[]): Promise<ReadonlySet<string>> {
    return agents.some(awaitsRunner) ? ((await this.#known.fetch(tenantId)) ?? NONE) : NONE
  }
}
