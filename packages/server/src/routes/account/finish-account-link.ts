import { finishAccountLink as operation } from '@skein/contract'
import { finishAccountLink } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { formatFlowCookie, PAGE_SECRET_HEADER, readFlowCookie } from '../../plugins/session-cookie.ts'

export const finishAccountLinkRoute = defineRoute(
  operation,
  async (input: RouteInput<typeof operation>, reply) => {
    const { engine, caller, body } = input
    void reply.header('cache-control', 'no-store')
    // Whatever becomes of it, it cannot be finished again.
    void reply.header('set-cookie', formatFlowCookie(engine.publicUrl, '', 0))
    return finishAccountLink(engine, caller, {
      ...body,
      pageSecret: input.header(PAGE_SECRET_HEADER) ?? '',
      flow: readFlowCookie(engine.publicUrl, input.header('cookie') ?? ''),
      address: input.address,
      userAgent: input.header('user-agent') ?? '',
      requestId: input.requestId,
    })
  },
)
