import { findLogin as operation } from '@skein/contract'
import { findLogin } from '@skein/engine'
import { route } from '../../http/route.ts'

export const findLoginRoute = route(operation, ({ engine, caller, body, address, isForwarded }) =>
  findLogin(engine, caller, { ...body, address, isForwarded }),
)
