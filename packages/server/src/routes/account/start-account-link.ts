import { startAccountLink as operation } from '@skein/contract'
import { startAccountLink } from '@skein/engine'
import { defineRoute, type RouteInput } from '../../http/route.ts'
import { formatFlowCookie, PAGE_SECRET_HEADER } from '../../plugins/session-cookie.ts'

export const startAccountLinkRoute = defineRoute(
  operation,
  async (input: RouteInput<typeof operation>, reply) => {
    const { engine, caller, body, address } = input
    const pageSecret = input.header(PAGE_SECRET_HEADER) ?? ''
    const started = await startAccountLink(engine, caller, { ...body, pageSecret, address })
    void reply.header('set-cookie', formatFlowCookie(engine.publicUrl, started.flow, started.maxAgeSeconds))
    void reply.header('cache-control', 'no-store')
    return { url: started.url }
  },
)
