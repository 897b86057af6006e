import { removeFollowUp as operation } from '@skein/contract'
import { removeFollowUp } from '@skein/engine'
import { commandOn } from './agent-target.ts'
import { route } from './route.ts'

export const removeFollowUpRoute = route(operation, async (input) =>
  removeFollowUp(input.engine, ...(await commandOn(input)), input.body.followUpId),
)
