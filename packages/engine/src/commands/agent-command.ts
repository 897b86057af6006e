import {
  agentKey,
  ceilingOf,
  effectiveQuota,
  isKnownFollowUp,
  parentIdentity,
  requireDriver,
  requireJustificationAcross,
  rootKey,
  type AgentIdentity,
  type AgentState,
  type Caller,
  type Decision,
  type Quota,
} from '@skein/core'
import type { AgentAudit, LoadedTree, Transaction } from '@skein/store'
import { auditedBy } from '../audit/record-audit.ts'
import { identify } from './command-id.ts'
import type { CommandContext, CommandOutcome } from './command.ts'
import { settled } from './settled.ts'
import type { EngineResources } from '../resources.ts'
import type { AgentTarget } from './agent-target.ts'
import { carryOutTreeCommand, type TreeLoad } from './tree-command.ts'
import { newId } from '../new-id.ts'

/** What a command on one agent can see. */
export interface AgentView extends Pick<LoadedTree, 'queuedBytes'> {
  readonly agent: ReturnType<LoadedTree['agents']['get']>
  readonly parent: ReturnType<LoadedTree['agents']['get']>
  readonly subtree: readonly AgentState[]
  /** Whether the message was accepted before. */
  readonly isKnownFollowUp: boolean
  readonly quota: Quota
  readonly now: number
  readonly transaction: Transaction
}

interface AgentCommandOptions {
  /** The operation's id in the contract, used in the audit. */
  readonly operation: string
  /** Load all descendants of the target. */
  readonly withSubtree?: boolean
  /** Look up whether the target already has this message. Empty if its id is new. */
  readonly followUpId?: string
  /** Whether that message may be sent again if it was cleared before it reached the agent. */
  readonly resendsCleared?: boolean
  /** Loads more than the tree, in one statement. */
  readonly load?: TreeLoad
}

type AgentCommand<Answer> = [
  target: AgentTarget,
  options: AgentCommandOptions,
  decide: (view: AgentView) => Decision<Answer> | Promise<Decision<Answer>>,
]

/** Carries out a caller's command on one agent. With an idempotency key, a rejection is final. */
export function commandAgent<Answer>(
  engine: EngineResources,
  context: CommandContext,
  ...rest: AgentCommand<Answer>
): Promise<CommandOutcome<Answer>> {
  return settled(engine, context, () => carryOutAgentCommand(engine, context, ...rest))
}

/** Same, but the caller settles rejections, together with those of earlier steps. */
export async function carryOutAgentCommand<Answer>(
  engine: EngineResources,
  context: CommandContext,
  ...[{ identity, tenantId }, options, decide]: AgentCommand<Answer>
): Promise<CommandOutcome<Answer>> {
  requireDriver(context.caller, identity)
  requireJustificationAcross(context.caller, tenantId, context.justification ?? '')
  const above = parentIdentity(identity)
  const key = agentKey(identity)
  const parentKey = above && agentKey(above)
  return carryOutTreeCommand(engine, {
    tenantId,
    tree: rootKey(identity),
    keys: parentKey === undefined ? [key] : [key, parentKey],
    ...(options.withSubtree === true && { below: key }),
    ...(options.followUpId !== undefined && { followUpId: options.followUpId }),
    load: options.load,
    ...identify(engine, context),
    actor: context.caller.account,
    ...(context.traceparent !== undefined && { traceparent: context.traceparent }),
    isFromRun: context.caller.role === 'run',
    ...(isAudited(context.caller, options.operation) && {
      audit: auditOf(context, identity, options.operation),
    }),
    decide: (loaded, now, transaction) =>
      decide({
        agent: loaded.agents.get(key),
        parent: parentKey === undefined ? undefined : loaded.agents.get(parentKey),
        subtree: loaded.below,
        isKnownFollowUp: isKnownFollowUp(loaded.agents.get(key), loaded.followUp, options),
        queuedBytes: loaded.queuedBytes,
        quota: effectiveQuota(loaded.quota, ceilingOf(engine.ceiling, loaded.ceiling)),
        now,
        transaction,
      }),
  })
}

/** Messages and tasks are on the timeline. What starts, ends or pays for work is also audited. */
const AUDITED: ReadonlySet<string> = new Set(['spawnAgent', 'stopTurn', 'killAgent', 'setBudget'])

function isAudited({ role }: Caller, operation: string): boolean {
  return role === 'operator' || AUDITED.has(operation)
}

function auditOf(context: CommandContext, { workspace, path }: AgentIdentity, operation: string): AgentAudit {
  const name = [workspace, ...path].join('/')
  const { justification = '' } = context
  return { id: newId(), operation, name, justification, ...auditedBy(context) }
}
