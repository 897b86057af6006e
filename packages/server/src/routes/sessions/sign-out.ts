import { signOut as operation } from '@skein/contract'
import { signOut } from '@skein/engine'
import { formatSessionCookie } from '../../plugins/session-cookie.ts'
import { defineRoute, type RouteInput } from '../../http/route.ts'

export const signOutRoute = defineRoute(operation, async (input: RouteInput<typeof operation>, reply) => {
  const { engine, caller, query, requestId, address } = input
  await signOut(engine, caller, { isEverywhere: query.everywhere ?? false, requestId, address })
  void reply.header('set-cookie', formatSessionCookie(engine, '', 0))
  return {}
})
