import { completeRun as operation } from '@skein/contract'
import { endRun } from '@skein/engine'
import { route } from '../../http/route.ts'

export const completeRunRoute = route(operation, ({ engine, caller, body }) => endRun(engine, caller, body))
