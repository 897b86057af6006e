import { decideLogin as operation } from '@skein/contract'
import { decideLogin } from '@skein/engine'
import { route } from '../../http/route.ts'

export const decideLoginRoute = route(operation, ({ engine, caller, body, address, requestId }) =>
  decideLogin(engine, caller, { ...body, address, requestId }),
)
