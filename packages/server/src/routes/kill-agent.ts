import { killAgent as operation } from '@skein/contract'
import { killAgent } from '@skein/engine'
import { commandOn } from './agent-target.ts'
import { route } from './route.ts'

export const killAgentRoute = route(operation, async (input) =>
  killAgent(input.engine, ...(await commandOn(input))),
)
