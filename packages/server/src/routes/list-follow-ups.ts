import { listFollowUps as operation } from '@skein/contract'
import { listFollowUps } from '@skein/engine'
import { targetOf } from './agent-target.ts'
import { route } from './route.ts'

export const listFollowUpsRoute = route(operation, async (input) =>
  listFollowUps(input.engine, await targetOf(input), input.body),
)
