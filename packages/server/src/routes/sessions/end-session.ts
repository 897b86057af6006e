import { endSession as operation } from '@skein/contract'
import { endSession } from '@skein/engine'
import { route } from '../../http/route.ts'

export const endSessionRoute = route(operation, ({ engine, caller, params, commandFor }) =>
  endSession(engine, commandFor(caller.tenantId), params.sessionId),
)
