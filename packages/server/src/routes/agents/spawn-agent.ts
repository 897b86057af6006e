import { spawnAgent as operation } from '@skein/contract'
import { spawnAgent } from '@skein/engine'
import { route } from '../../http/route.ts'

export const spawnAgentRoute = route(operation, ({ engine, caller, body, commandFor }) =>
  spawnAgent(engine, caller, commandFor, body),
)
