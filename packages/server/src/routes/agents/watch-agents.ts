import { watchAgents as operation, type AgentEntry } from '@skein/contract'
import { watchAgents } from '@skein/engine'
import { readAgentFilter } from '../../http/agent-filter.ts'
import { streamRoute } from '../../http/event-stream.ts'

export const watchAgentsRoute = streamRoute<typeof operation, AgentEntry>(operation, async (input) => {
  const { tenant, filter } = await readAgentFilter(input.engine, input.caller, input.body)
  return { events: watchAgents(input.engine, tenant, filter, input.signal), idOf: () => undefined }
})
