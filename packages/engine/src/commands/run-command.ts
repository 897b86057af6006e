import { agentKey, type AgentState, type Decision } from '@skein/core'
import { AgentReader, type LeaseRef, type Transaction } from '@skein/store'
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

/** Where a run's agent is in its tree. This never changes, so it can be read before taking the lock. */
export interface RunPlace extends LeaseRef {
  readonly agentKey: string
  readonly rootKey: string
}

export async function findPlace(engine: EngineResources, lease: LeaseRef): Promise<RunPlace | undefined> {
  const [agent] = await engine.database.forTenant(lease.tenantId, (transaction) =>
    new AgentReader(transaction).findAll([lease.agentId]),
  )
  if (!agent) return undefined
  const key = agentKey(agent.identity)
  return {
    ...lease,
    agentKey: key,
    rootKey: agentKey({ ...agent.identity, path: agent.identity.path.slice(0, 1) }),
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
    decide,
  }: {
    cause: readonly string[]
    actor: string
    withSubtree?: boolean
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
