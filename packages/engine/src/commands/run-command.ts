import type { AgentState, Decision } from '@skein/core'
import { AgentReader, type LeaseRef, type Transaction } from '@skein/store'
import { LRUCache } from 'lru-cache'
import { carryOutTreeCommand } from './tree-command.ts'
import { identifyByCause } from './command-id.ts'
import type { CommandOutcome } from './command.ts'
import type { EngineResources } from '../resources.ts'

export interface RunView {
  readonly agent: AgentState | undefined
  readonly parent: AgentState | undefined
  readonly subtree: readonly AgentState[]
  readonly now: number
  readonly transaction: Transaction
}

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
  async find({ database }: EngineResources, lease: LeaseRef): Promise<RunPlace | undefined> {
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

/**
 * A command caused by a run: from its runner or from the sweeper. Its id derives from the cause, so it happens once.
 */
export function commandRun<Answer>(
  engine: EngineResources,
  place: RunPlace,
  {
    cause,
    actor,
    withSubtree = false,
    alongside,
    decide,
  }: {
    cause: readonly string[]
    actor: string
    withSubtree?: boolean
    /** What else to read in the same round trip as the tree, once it is locked. */
    alongside?: (transaction: Transaction) => Promise<void>
    decide: (view: RunView) => Decision<Answer> | Promise<Decision<Answer>>
  },
): Promise<CommandOutcome<Answer>> {
  const parentKey = parentKeyOf(place)
  return carryOutTreeCommand(engine, {
    tenantId: place.tenantId,
    tree: place.rootKey,
    keys: parentKey === undefined ? [place.agentKey] : [place.agentKey, parentKey],
    ...(withSubtree && { below: place.agentKey }),
    ...identifyByCause(place.agentId, place.runId.toString(), place.attempt.toString(), ...cause),
    actor,
    alongside,
    decide: (loaded, now, transaction) =>
      decide({
        agent: loaded.agents.get(place.agentKey),
        parent: parentKey === undefined ? undefined : loaded.agents.get(parentKey),
        subtree: loaded.below,
        now,
        transaction,
      }),
  })
}

export function parentKeyOf({
  agentKey: key,
  rootKey,
}: Pick<RunPlace, 'agentKey' | 'rootKey'>): string | undefined {
  return key === rootKey ? undefined : key.slice(0, key.lastIndexOf('/'))
}
