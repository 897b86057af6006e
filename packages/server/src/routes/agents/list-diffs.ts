import { listDiffs as operation } from '@skein/contract'
import { listDiffs } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const listDiffsRoute = route(operation, async (input) =>
  listDiffs(input.engine, await targetOf(input)),
)
