import { clearFollowUps as operation } from '@skein/contract'
import { clearFollowUps } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const clearFollowUpsRoute = route(operation, async (input) =>
  clearFollowUps(input.engine, ...(await commandOn(input))),
)
