import { setBudget as operation } from '@skein/contract'
import { setBudget } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const setBudgetRoute = route(operation, async (input) =>
  setBudget(input.engine, ...(await commandOn(input)), input.body.maxCost),
)
