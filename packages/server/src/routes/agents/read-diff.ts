import { readDiff as operation } from '@skein/contract'
import { readDiff } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const readDiffRoute = route(operation, async (input) =>
  readDiff(input.engine, await targetOf(input), input.body),
)
