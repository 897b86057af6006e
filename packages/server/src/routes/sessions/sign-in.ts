import { formatTimestamp, signIn as operation } from '@skein/contract'
import { signIn } from '@skein/engine'
import { formatSessionCookie } from '../../plugins/session-cookie.ts'
import { describeIdentity } from '../../http/describe-identity.ts'
import { defineRoute, type RouteInput } from '../../http/route.ts'

export const signInRoute = defineRoute(operation, async (input: RouteInput<typeof operation>, reply) => {
  const { engine, body } = input
  const signedIn = await signIn(engine, {
    ...body,
    address: input.address,
    userAgent: input.header('user-agent') ?? '',
    requestId: input.requestId,
  })
  const maxAgeSeconds = Math.floor((signedIn.expiresAt - signedIn.createdAt) / 1000)
  void reply.header('set-cookie', formatSessionCookie(engine.publicUrl, signedIn.secret, maxAgeSeconds))
  void reply.header('cache-control', 'no-store')
  return { identity: describeIdentity(signedIn.caller), expireTime: formatTimestamp(signedIn.expiresAt) }
})
