import type { AgentStatus, WaitReason } from '@skein/contract'
import type { EngineResources } from '../resources.ts'
import { agentTopic, type Patience } from '../wakeups.ts'
import type { AgentTarget } from './find-identity.ts'
import { attentionOf, describeStatus, readStatusRecord } from './read-agent.ts'

interface Attention {
  readonly reason: WaitReason
  readonly status: AgentStatus
}

/**
 * Answers once the agent needs attention, or when the time that the caller preferred is over. While it waits it
 * holds one entry in a table, and nothing in the database.
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

/** The agent's id while it needs no attention: thousands wait, and what each keeps of its first look must be small. */
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
