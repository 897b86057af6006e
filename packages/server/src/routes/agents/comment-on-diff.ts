import { commentOnDiff as operation } from '@skein/contract'
import { commentOnDiff } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const commentOnDiffRoute = route(operation, async (input) =>
  commentOnDiff(input.engine, ...(await commandOn(input)), input.body),
)
