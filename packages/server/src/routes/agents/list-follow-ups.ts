import { listFollowUps as operation } from '@skein/contract'
import { listFollowUps } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const listFollowUpsRoute = route(operation, async (input) =>
  listFollowUps(input.engine, await targetOf(input), input.body),
)
