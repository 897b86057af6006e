import { killAgent as operation } from '@skein/contract'
import { killAgent } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const killAgentRoute = route(operation, async (input) =>
  killAgent(input.engine, ...(await commandOn(input))),
)
