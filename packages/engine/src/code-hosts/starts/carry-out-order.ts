import { SkeinError } from '@skein/contract'
import {
  agentKey,
  replyNext,
  START_LIMITS,
  tryOther,
  type Caller,
  type StartOrder,
  type StartState,
} from '@skein/core'
import { v7 as uuidV7 } from 'uuid'
import { spawnAgent } from '../../agents/spawn-agent.ts'
import type { CommandContext } from '../../commands/command.ts'
import { queueFollowUp } from '../../follow-ups/queue-follow-up.ts'
import type { IssueContext } from './issue-context.ts'

/** What an agent in another state needs instead. */
const OTHERWISE: Readonly<
  Record<StartOrder['command'], Readonly<Partial<Record<string, StartOrder['command']>>>>
> = {
  spawn: { AGENT_ALREADY_EXISTS: 'send' },
  send: { AGENT_NOT_FOUND: 'spawn', AGENT_NOT_RUNNING: 'resume' },
  resume: { AGENT_NOT_FOUND: 'spawn', SESSION_EXPIRED: 'spawn', AGENT_ALREADY_EXISTS: 'send' },
}

/**
 * Starts the agent, or tells the one that is there, by commands whose ids follow from the order: killed before it is
 * recorded, the next server finds what was done. Returns the state after one command.
 */
export async function carryOutOrder(
  context: IssueContext,
  state: StartState,
  order: StartOrder,
): Promise<StartState> {
  const { engine } = context
  try {
    await carryOut(context, order)
    return replyNext(state, order.command === 'spawn' ? 'started' : 'continued')
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error
    const other = OTHERWISE[order.command][error.reason]
    // What was not started from this issue is not started by it either.
    const isPossible = other === 'send' || order.isOwn
    const next = other && isPossible ? tryOther(state, other) : undefined
    if (next) return next
    if (error.reason === 'QUOTA_EXCEEDED') return replyNext(state, 'quota')
    const isLate = engine.clock.now() - order.plannedAt > START_LIMITS.patienceMs
    if (error.isFinal || isLate) return replyNext(state, 'refused', error.reason)
    throw error
  }
}

async function carryOut(context: IssueContext, order: StartOrder): Promise<void> {
  const { engine, held, policy, tenant } = context
  const { tenantId } = held
  const { agent: identity, command, message } = order
  const commandContext = contextFor(context, order)
  if (command === 'send') {
    const request = { agentId: {}, description: message, followUpId: `host:${order.id}` }
    await queueFollowUp(engine, commandContext, { tenantId, tenant, identity }, request)
    return
  }
  const { workspace, ownerProvider, account, path } = identity
  const agentId = { workspace, ownerProvider, account, agent: [...path] }
  const { persona, model, reasoningEffort, expectedOutput, autoComplete, maxCost } = policy
  const request =
    command === 'resume'
      ? { agentId, description: message, resume: true }
      : {
          agentId,
          description: order.description,
          agent: persona,
          model,
          reasoningEffort,
          expectedOutput,
          autoComplete,
          maxCost,
        }
  await spawnAgent(engine, commandContext.caller, () => commandContext, request)
}

/** As the owner of the agent. The order determines the request, so that is not compared. */
function contextFor({ held, tenant }: IssueContext, order: StartOrder): CommandContext {
  const { tenantId, workspace } = held
  const { agent, command, id, tries } = order
  const caller: Caller = {
    tenantId,
    tenant,
    ownerProvider: agent.ownerProvider,
    account: agent.account,
    role: 'member',
    token: `host-start/${workspace}`,
    pools: [],
    servesAllTenants: false,
  }
  return {
    caller,
    tenantId,
    requestId: `host-start-${uuidV7()}`,
    idempotency: { key: `${id}/${tries}`, path: `host-start/${command}`, request: null },
  }
}

/** Which agent an issue has: in what the agent proposes, the issue is named. */
export function startedAgent({ order }: StartState): string | undefined {
  const isDone = order?.outcome === 'started' || order?.outcome === 'continued'
  return order?.isOwn === true && isDone ? agentKey(order.agent) : undefined
}
