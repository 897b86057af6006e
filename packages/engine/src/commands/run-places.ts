import { AgentReader, type Database, type LeaseRef } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** Where a run's agent is in its tree. */
export interface RunPlace extends LeaseRef {
  readonly agentKey: string
  readonly rootKey: string
}

/** Places of agents that runs were recently assigned of. They never change, so they can be read before locking. */
export class RunPlaces {
  readonly #known = new LRUCache<string, Pick<RunPlace, 'agentKey' | 'rootKey'>>({ max: 10_000 })

  remember({ tenantId, agentId, agentKey, rootKey }: RunPlace): void {
    this.#known.set(`${tenantId}/${agentId}`, { agentKey, rootKey })
  }

  /** Undefined if the tenant has no such agent. */
  async find({ database }: { readonly database: Database }, lease: LeaseRef): Promise<RunPlace | undefined> {
    const { tenantId, agentId } = lease
    const known = this.#known.get(`${tenantId}/${agentId}`)
    if (known) return { ...lease, ...known }
    const found = await database.forTenant(tenantId, (transaction) =>
      new AgentReader(transaction).findPlace(agentId),
    )
    if (!found) return undefined
    const place = { ...lease, ...found }
    this.remember(place)
    return place
  }
}
