import { SkeinError } from '@skein/contract'
import { agentKey, agentNotFound, requireJustification, type AgentIdentity } from '@skein/core'
import { AgentReader, EndpointStore, LaneStore, SegmentStore, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { recordAudit } from '../../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../../commands/command.ts'
import { carryOutTenantCommand } from '../../commands/tenant-command.ts'
import type { EngineResources } from '../../resources.ts'
import { INTEGRATION } from './destinations.ts'
import { requireIntegration } from './read-deliveries.ts'

/** As long as the outbox is kept. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000
const MAX_AGENTS = 100_000

/** What to send again. */
export type Replay =
  | {
      readonly type: 'agent'
      readonly identity: AgentIdentity
      readonly firstSequence: bigint
      readonly lastSequence: bigint | undefined
    }
  | { readonly type: 'since'; readonly time: number }
  | { readonly type: 'dead-letters' }

/** Sends events again, in lanes of their own beside those of new events. */
export function replayDeliveries(
  engine: EngineResources,
  context: CommandContext,
  integration: string,
  { replay, justification }: { readonly replay: Replay; readonly justification: string },
): Promise<CommandOutcome<{ replayId: string; agents: number }>> {
  requireJustification(context.caller, justification)
  return carryOutTenantCommand(engine, context, async (transaction) => {
    await requireIntegration(transaction, integration)
    const now = engine.clock.now()
    const replayId = uuidV7()
    // Locks the endpoint, as everything does that adds lanes.
    const awake = await new EndpointStore(transaction).wake(new Map([[integration, 0]]))
    if (awake.length === 0) {
      throw new SkeinError('REQUEST_INVALID', {
        message: `The integration ${integration} is disabled: write it again to enable it, then replay.`,
      })
    }
    const agents = await addLanes(transaction, { integration, replayId, replay, now })
    await recordAudit(transaction, context, {
      operation: 'replayDeliveries',
      kind: INTEGRATION,
      name: integration,
      at: now,
      justification,
    })
    const answer = { replayId, agents }
    return { answer, recorded: answer }
  })
}

async function addLanes(
  transaction: Transaction,
  {
    integration,
    replayId,
    replay,
    now,
  }: {
    readonly integration: string
    readonly replayId: string
    readonly replay: Replay
    readonly now: number
  },
): Promise<number> {
  const lanes = new LaneStore(transaction)
  switch (replay.type) {
    case 'dead-letters':
      return lanes.replayDead(integration, replayId, MAX_AGENTS)
    case 'since':
      if (now - replay.time > MAX_AGE_MS) throw tooOld()
      return lanes.replaySince(integration, replayId, replay.time, MAX_AGENTS)
    case 'agent': {
      const agent = await new AgentReader(transaction).find(agentKey(replay.identity))
      if (!agent) throw agentNotFound()
      const newest = agent.sequence
      const lastSequence =
        replay.lastSequence === undefined || replay.lastSequence > newest ? newest : replay.lastSequence
      const firstSequence = replay.firstSequence < 1n ? 1n : replay.firstSequence
      if (firstSequence > lastSequence) return 0
      // They would be passed over: what is sent is read from the table.
      const lastMoved = await new SegmentStore(transaction).keepUnmoved(agent.id)
      if (firstSequence <= lastMoved) throw tooOldToSend(lastMoved)
      await lanes.add([{ integration, agentId: agent.id, firstSequence, lastSequence }], replayId)
      return 1
    }
  }
}

function tooOld(): SkeinError {
  return invalid('sinceTime', 'must not be more than seven days ago')
}

function tooOldToSend(last: bigint): SkeinError {
  const first = last + 1n
  return invalid('firstSequence', `must be at least ${first}: older events can be read, but not sent again`)
}

function invalid(field: string, description: string): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: `The request is not valid: ${field}: ${description}.`,
    violations: [{ field, description }],
  })
}
