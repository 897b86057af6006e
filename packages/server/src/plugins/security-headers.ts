import helmet from '@fastify/helmet'
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify'

/**
 * Security headers for browsers. They are constant, so helmet is asked once: per request it would take a twentieth
 * of the time of a small one, and 2 KiB for as long as a response is open.
 */
export async function installSecurityHeaders(app: FastifyInstance): Promise<void> {
  const headers = await askHelmet()
  app.decorateReply('setSecurityHeaders', function () {
    return this.headers(headers)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.hasHeader('content-security-policy')) setMissing(reply, headers)
    else reply.setSecurityHeaders()
    done()
  })
}

/** A page's own headers take precedence. */
function setMissing(reply: FastifyReply, headers: ReturnType<FastifyReply['getHeaders']>): void {
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
}

declare module 'fastify' {
  interface FastifyReply {
    /** For responses written without the framework. All others already have them. */
    setSecurityHeaders(): FastifyReply
  }
}

async function askHelmet(): Promise<ReturnType<FastifyReply['getHeaders']>> {
  const app = fastify()
  // Responses are data: they may load nothing, and may not be framed.
  const directives = { defaultSrc: [`'none'`], frameAncestors: [`'none'`] }
  await app.register(helmet, { contentSecurityPolicy: { useDefaults: false, directives } })
  const headers = new Promise<ReturnType<FastifyReply['getHeaders']>>((resolve) => {
    app.get('/', (_request, reply) => {
      resolve(reply.getHeaders())
      return {}
    })
  })
  await app.inject('/')
  await app.close()
  return headers
}
