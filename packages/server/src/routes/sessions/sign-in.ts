import { signIn as operation } from '@skein/contract'
import { signIn } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { answerSignedIn } from './answer-signed-in.ts'

export const signInRoute = defineRoute(operation, async (input: RouteInput<typeof operation>, reply) => {
  const { engine, body } = input
  const signedIn = await signIn(engine, {
    ...body,
    address: input.address,
    userAgent: input.header('user-agent') ?? '',
    requestId: input.requestId,
  })
  const { cookie, answer } = answerSignedIn(engine, signedIn)
  void reply.header('set-cookie', cookie)
  void reply.header('cache-control', 'no-store')
  return answer
})
