import { receiveDelivery as operation, type Operation } from '@skein/contract'
import { receiveDelivery } from '@skein/engine'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from '../../http/route.ts'

const config: { readonly operation: Operation } = { operation }

/** The body is taken as it comes: its signature is of its bytes, and nobody looks into it here. */
export const receiveDeliveryRoute: Route = {
  operation,
  register: (app, engine) =>
    void app.register((scope: FastifyInstance, _options, done) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
      scope.route({
        method: operation.method,
        url: '/v1/trigger/:tenant/:name',
        bodyLimit: operation.bodyLimitBytes,
        config,
        handler: async (request, reply) => {
          const answer = await receiveDelivery(engine, readRequest(request))
          return reply.code(operation.successStatus).send(answer)
        },
      })
      done()
    }),
}

function readRequest({ params, headers, body }: FastifyRequest) {
  return {
    tenant: paramOf(params, 'tenant'),
    trigger: paramOf(params, 'name'),
    header: (wanted: string) => headers[wanted]?.toString(),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  }
}

function paramOf(params: unknown, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : ''
  return typeof value === 'string' ? value : ''
}
