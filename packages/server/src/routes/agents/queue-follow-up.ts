import { queueFollowUp as operation } from '@skein/contract'
import { queueFollowUp } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const queueFollowUpRoute = route(operation, async (input) =>
  queueFollowUp(input.engine, ...(await commandOn(input)), input.body),
)
