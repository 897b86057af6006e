import type { AgentStatus, WaitReason } from '@skein/contract'
import type { EngineResources } from '../resources.ts'
import { agentTopic, type Patience } from '../wakeups.ts'
import type { AgentTarget } from './find-identity.ts'
import { attentionOf, findAgent, readStatusTogether } from './read-agent.ts'

/**
 * Answers once the agent needs attention, or when the time that the caller preferred is over. While it waits it
 * holds one entry in a table, and nothing in the database.
 */
export async function waitForAgent(
  engine: EngineResources,
  target: AgentTarget,
  patience: Patience,
): Promise<{ reason: WaitReason; status: AgentStatus }> {
  const { id } = await findAgent(engine, target)
  const read = async () => {
    const status = await readStatusTogether(engine, target)
    return { reason: attentionOf(status), status }
  }
  const answer = await engine.wakeups.until([agentTopic(id)], patience, async () => {
    const current = await read()
    return current.reason === 'WAIT_REASON_UNSPECIFIED' ? undefined : current
  })
  return answer ?? read()
}
