import { agentStatus } from '@skein/contract'
import { readStatus } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const agentStatusRoute = route(agentStatus, async (input) =>
  readStatus(input.engine, await targetOf(input)),
)
