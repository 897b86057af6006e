import type { AgentStatus, WaitReason } from '@skein/contract'
import type { EngineResources } from '../resources.ts'
import { agentTopic, type Patience } from '../wakeups.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { attentionOf, describeStatus, readStatusRecord } from './read-agent.ts'

interface Attention {
  readonly reason: WaitReason
  readonly status: AgentStatus
}

/**
 * Returns once the agent needs attention or the caller's deadline passes. A waiting call holds one entry in a table
 * and nothing in the database.
 */
export async function waitForAgent(
  engine: EngineResources,
  target: AgentTarget,
  patience: Patience,
): Promise<Attention> {
  const lookedAt = engine.wakeups.wakeCount
  const first = await look(engine, target)
  if (typeof first !== 'string') return first
  const answer = await engine.wakeups.until(
    [agentTopic(first)],
    patience,
    async () => {
      const seen = await look(engine, target)
      return typeof seen === 'string' ? undefined : seen
    },
    lookedAt,
  )
  return answer ?? readAttention(engine, target)
}

/** Returns only the agent's id if it needs no attention: thousands may wait, so each must keep little. */
async function look(engine: EngineResources, target: AgentTarget): Promise<Attention | string> {
  const record = await readStatusRecord(engine, target)
  const reason = attentionOf(record.agent)
  if (reason === 'WAIT_REASON_UNSPECIFIED') return record.agent.id
  return { reason, status: await describeStatus(engine, target, record) }
}

async function readAttention(engine: EngineResources, target: AgentTarget): Promise<Attention> {
  const record = await readStatusRecord(engine, target)
  return { reason: attentionOf(record.agent), status: await describeStatus(engine, target, record) }
}
