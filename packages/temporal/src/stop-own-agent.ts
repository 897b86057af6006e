import { isTerminal, SkeinApiError, type Agent } from '@skein/client'
import { belongsTo, type Cause } from './cause.ts'

/** Ends the agent with its descendants if this workflow has spawned it. May be repeated. */
export async function stopOwnAgent(agent: Agent, cause: Cause): Promise<void> {
  const status = await statusIfAny(agent)
  if (status === undefined || isTerminal(status.phase) || !belongsTo(status.labels, cause)) return
  await agent.kill()
}

export async function statusIfAny(agent: Agent) {
  try {
    return await agent.status()
  } catch (error) {
    if (error instanceof SkeinApiError && error.reason === 'AGENT_NOT_FOUND') return undefined
    throw error
  }
}
