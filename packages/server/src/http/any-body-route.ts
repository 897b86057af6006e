import type { Operation } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from './route.ts'

/** A request as it came. */
export interface AnyBodyRequest {
  readonly tenant: string
  readonly name: string
  header(name: string): string | undefined
  readonly body: Uint8Array
  /** The client's address, behind any trusted proxies. */
  readonly address: string
}

/** The body is taken as it comes: its signature is of its bytes, and nobody looks into it here. */
export function anyBodyRoute(
  operation: Operation,
  path: string,
  answer: (engine: EngineResources, request: AnyBodyRequest) => Promise<object>,
): Route {
  const config: { readonly operation: Operation } = { operation }
  return {
    operation,
    register: (app, engine) =>
      void app.register((scope: FastifyInstance, _options, done) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
        scope.route({
          method: operation.method,
          url: `${path}/:tenant/:name`,
          bodyLimit: operation.bodyLimitBytes,
          config,
          handler: async (request, reply) => {
            void reply.header('cache-control', 'no-store')
            return reply.code(operation.successStatus ?? 200).send(await answer(engine, readRequest(request)))
          },
        })
        done()
      }),
  }
}

function readRequest({ params, headers, body, ip }: FastifyRequest): AnyBodyRequest {
  return {
    tenant: paramOf(params, 'tenant'),
    name: paramOf(params, 'name'),
    header: (wanted: string) => headers[wanted]?.toString(),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    address: ip,
  }
}

function paramOf(params: unknown, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : ''
  return typeof value === 'string' ? value : ''
}
