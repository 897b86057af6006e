import { spawnAgent as operation } from '@skein/contract'
import { spawnAgent } from '@skein/engine'
import { route } from './route.ts'

export const spawnAgentRoute = route(operation, ({ engine, caller, body, commandFor }) =>
  spawnAgent(engine, caller, commandFor, body),
)
