import { renewSession as operation } from '@skein/contract'
import { renewSession } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { answerSessionKeys } from './answer-session-keys.ts'

export const renewSessionRoute = defineRoute(
  operation,
  async ({ engine, body, requestId, address }: RouteInput<typeof operation>, reply) => {
    void reply.header('cache-control', 'no-store')
    return answerSessionKeys(await renewSession(engine, body.renewalKey, { requestId, address }))
  },
)
