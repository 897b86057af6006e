import type { AgentChange, Decision } from '@skein/core'
import {
  loadTreeQuery,
  toLoadedTree,
  writeTreeQuery,
  type AgentAudit,
  type LoadedTree,
  type Transaction,
  type TreeQuery,
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { CommandIdentity } from './command-id.ts'
import { carryOutOnce, untilKnown, type CommandOutcome } from './command.ts'

export interface TreeCommand<Answer>
  extends CommandIdentity, Pick<TreeQuery, 'tenantId' | 'tree' | 'keys' | 'below' | 'followUpId'> {
  /** The actor shown on the timeline. */
  readonly actor: string
  /** The audit entry, if any. Written only if the command changes something. */
  readonly audit?: AgentAudit
  decide(
    loaded: LoadedTree,
    now: number,
    transaction: Transaction,
  ): Decision<Answer> | Promise<Decision<Answer>>
}

/**
 * One command, one transaction: waits for its turn, locks the tree, loads what it touches, asks the rules, and
 * writes state, timeline and all effects together with the command's record.
 */
export async function carryOutTreeCommand<Answer>(
  engine: EngineResources,
  command: TreeCommand<Answer>,
): Promise<CommandOutcome<Answer>> {
  const { treeMutex, database } = engine
  return untilKnown(() =>
    treeMutex.take(`${command.tenantId}/${command.tree}`, () => attempt(engine, command), {
      isUrgent: database.isUrgent,
    }),
  )
}

async function attempt<Answer>(
  engine: EngineResources,
  command: TreeCommand<Answer>,
): Promise<CommandOutcome<Answer>> {
  const { id, request, tenantId, actor, audit } = command
  let changed: readonly AgentChange[] = []
  const outcome = await carryOutOnce(engine, command, {
    load: (notBefore) => [loadTreeQuery({ ...command, commandId: id, notBefore })],
    read: toLoadedTree,
    async decide(loaded, now, transaction) {
      const { answer, changes } = await command.decide(loaded, now, transaction)
      if (changes.length === 0 && !command.isKeyed) return { answer, write: undefined }
      changed = changes
      const write = writeTreeQuery(tenantId, now, {
        actor,
        changes,
        ...(changes.length > 0 && audit && { audit }),
        command: { id, requestSha256: request.sha256, answer: answer ?? null },
      })
      return { answer, write }
    },
  })
  engine.wakeups.publish(tenantId, changed)
  if (changed.length > 0) engine.events.emit({ type: 'changed', changes: changed })
  return outcome
}
