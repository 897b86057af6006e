import { listAgents as operation } from '@skein/contract'
import { listAgents } from '@skein/engine'
import { readAgentFilter } from '../../http/agent-filter.ts'
import { route } from '../../http/route.ts'

export const listAgentsRoute = route(operation, async ({ engine, caller, body, position }) => {
  const { tenant, filter } = await readAgentFilter(engine, caller, body)
  return listAgents(engine, tenant, filter, body, position)
})
