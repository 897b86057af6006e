import { removeFollowUp as operation } from '@skein/contract'
import { removeFollowUp } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const removeFollowUpRoute = route(operation, async (input) =>
  removeFollowUp(input.engine, ...(await commandOn(input)), input.body.followUpId),
)
