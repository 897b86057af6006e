import { acceptInvitation as operation } from '@skein/contract'
import { acceptInvitation } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { answerSignedIn } from '../sessions/answer-signed-in.ts'

export const acceptInvitationRoute = defineRoute(
  operation,
  async (input: RouteInput<typeof operation>, reply) => {
    const { engine, body } = input
    void reply.header('cache-control', 'no-store')
    const accepted = await acceptInvitation(engine, {
      ...body,
      address: input.address,
      userAgent: input.header('user-agent') ?? '',
      requestId: input.requestId,
    })
    const { cookie, answer } = answerSignedIn(engine, accepted)
    void reply.header('set-cookie', cookie)
    return { ...answer, apiKey: accepted.apiKey }
  },
)
