import { agentStatus } from '@skein/contract'
import { readStatus } from '@skein/engine'
import { targetOf } from './agent-target.ts'
import { route } from './route.ts'

export const agentStatusRoute = route(agentStatus, async (input) =>
  readStatus(input.engine, await targetOf(input)),
)
