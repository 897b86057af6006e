import { finishSignIn as operation } from '@skein/contract'
import { finishSignIn } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { formatFlowCookie, readFlowCookie } from '../../plugins/session-cookie.ts'
import { answerSignedIn } from './answer-signed-in.ts'

export const finishSignInRoute = defineRoute(
  operation,
  async (input: RouteInput<typeof operation>, reply) => {
    const { engine, body } = input
    void reply.header('cache-control', 'no-store')
    // Whatever becomes of it, it cannot be finished again.
    const spent = formatFlowCookie(engine.publicUrl, '', 0)
    void reply.header('set-cookie', spent)
    const signedIn = await finishSignIn(engine, {
      ...body,
      flow: readFlowCookie(engine.publicUrl, input.header('cookie') ?? ''),
      address: input.address,
      userAgent: input.header('user-agent') ?? '',
      requestId: input.requestId,
    })
    const { cookie, answer } = answerSignedIn(engine, signedIn)
    void reply.header('set-cookie', cookie)
    return answer
  },
)
