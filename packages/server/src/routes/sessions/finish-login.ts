import { finishLogin as operation } from '@skein/contract'
import { finishLogin } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { answerSessionKeys } from './answer-session-keys.ts'

export const finishLoginRoute = defineRoute(
  operation,
  async ({ engine, body, requestId, address }: RouteInput<typeof operation>, reply) => {
    void reply.header('cache-control', 'no-store')
    return answerSessionKeys(await finishLogin(engine, { ...body, requestId, address }))
  },
)
