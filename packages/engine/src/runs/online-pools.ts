import { awaitsRunner, type ListedAgent } from '@skein/core'
import { listOnlinePools, type Database } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** A poll is held for up to a minute and recorded every 20 seconds. After a longer silence, the runner is gone. */
export const ONLINE_MS = 90_000

/** Lists and watches ask for each pending agent. A new runner takes what is waiting within this time anyway. */
const KEPT_MS = 1_000
const MAX_TENANTS = 10_000

const NONE: ReadonlySet<string> = new Set()

/** The pools of each tenant that currently have a runner. */
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

  /** Empty, without a query, if none of these agents is waiting for a runner. */
  async forAgents(tenantId: string, agents: readonly ListedAgent[]): Promise<ReadonlySet<string>> {
    return agents.some(awaitsRunner) ? ((await this.#known.fetch(tenantId)) ?? NONE) : NONE
  }
}
