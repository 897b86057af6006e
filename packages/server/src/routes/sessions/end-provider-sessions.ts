import { endProviderSessions as operation, type Operation } from '@skein/contract'
import { endProviderSessions } from '@skein/engine'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../../http/route.ts'
import { paramOf } from '../../http/param-of.ts'

const config: { readonly operation: Operation } = { operation }

/** A form, which no other operation takes. */
export const endProviderSessionsRoute: Route = {
  operation,
  register: (app, engine) =>
    void app.register((scope: FastifyInstance, _options, done) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
      scope.route({
        method: operation.method,
        url: '/v1/session/logout/:tenant/:name',
        bodyLimit: operation.bodyLimitBytes,
        config,
        handler: async ({ params, body, ip }, reply) => {
          void reply.header('cache-control', 'no-store')
          return endProviderSessions(engine, {
            tenant: paramOf(params, 'tenant'),
            name: paramOf(params, 'name'),
            body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
            address: ip,
          })
        },
      })
      done()
    }),
}
