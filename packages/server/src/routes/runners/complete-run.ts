import { completeRun as operation } from '@skein/contract'
import { completeRun } from '@skein/engine'
import { route } from '../../http/route.ts'

export const completeRunRoute = route(operation, ({ engine, caller, body }) =>
  completeRun(engine, caller, body),
)
