import { createSignInLink as operation } from '@skein/contract'
import { createSignInLink } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'

export const createSignInLinkRoute = defineRoute(
  operation,
  ({ engine, caller, requestId, address }: RouteInput<typeof operation>, reply) => {
    void reply.header('cache-control', 'no-store')
    return createSignInLink(engine, caller, { requestId, address })
  },
)
