import { startLogin as operation } from '@skein/contract'
import { startLogin } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'

export const startLoginRoute = defineRoute(
  operation,
  ({ engine, body, address }: RouteInput<typeof operation>, reply) => {
    void reply.header('cache-control', 'no-store')
    return startLogin(engine, { ...body, address })
  },
)
