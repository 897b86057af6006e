import { startSignIn as operation } from '@skein/contract'
import { startSignIn } from '@skein/engine'
import { formatFlowCookie } from '../../plugins/session-cookie.ts'
import { defineRoute, type RouteInput } from '../../http/route.ts'

export const startSignInRoute = defineRoute(operation, async (input: RouteInput<typeof operation>, reply) => {
  const { engine, body, address } = input
  const { url, flow, maxAgeSeconds } = await startSignIn(engine, { ...body, address })
  void reply.header('set-cookie', formatFlowCookie(engine.publicUrl, flow, maxAgeSeconds))
  void reply.header('cache-control', 'no-store')
  return { url }
})
