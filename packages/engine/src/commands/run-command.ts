import type { AgentState, Decision } from '@skein/core'
import type { Transaction } from '@skein/store'
import { carryOutTreeCommand } from './tree-command.ts'
import { identifyByCause } from './command-id.ts'
import type { CommandOutcome } from './command.ts'
import type { RunPlace } from './run-places.ts'
import type { EngineResources } from '../resources.ts'

export interface RunView {
  readonly agent: AgentState | undefined
  readonly parent: AgentState | undefined
  readonly subtree: readonly AgentState[]
  readonly now: number
  readonly transaction: Transaction
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
    isOurs = false,
    withSubtree = false,
    alongside,
    decide,
  }: {
    cause: readonly string[]
    /** Whether the cause is so unique that nobody else can send the same command. */
    isOurs?: boolean
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
    isOurs,
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
