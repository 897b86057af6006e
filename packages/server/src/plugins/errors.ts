import { OPERATIONS, SkeinError, toEnvelope, type Reason } from '@skein/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { requestIdFrom } from '../request-id.ts'

/** Maps the framework's own errors to our reasons. */
const FRAMEWORK_REASONS: Readonly<Record<string, Reason>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_EMPTY_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'HTTP_INVALID',
  FST_ERR_BAD_URL: 'HTTP_INVALID',
  FST_ERR_MAX_PARAM_LENGTH: 'HTTP_INVALID',
}

/** The only place where an error becomes a response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toSkeinError(error)
  if (known.code === 'INTERNAL') request.log.error({ err: known.cause ?? known }, 'a request failed')
  if (known.code === 'UNAVAILABLE') request.log.warn({ err: known.cause ?? known }, 'a request was rejected')
  if (known.retryDelayMs !== undefined) {
    void reply.header('retry-after', Math.max(1, Math.ceil(known.retryDelayMs / 1000)).toString())
  }
  if (known.isReplay) void reply.header('idempotent-replay', 'true')
  if (known.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer realm="skein"')
  void reply.code(known.httpStatus).type('application/json; charset=utf-8').send(toEnvelope(known))
}

export function toSkeinError(error: unknown): SkeinError {
  if (error instanceof SkeinError) return error
  const { code, statusCode } = error instanceof Error ? describe(error) : {}
  const reason = code === undefined ? undefined : FRAMEWORK_REASONS[code]
  if (reason) return new SkeinError(reason, { cause: error })
  // Such as a client that disconnects mid-body: its fault, whatever the framework calls it.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new SkeinError('HTTP_INVALID', { cause: error })
  }
  return new SkeinError('INTERNAL_ERROR', { cause: error })
}

function describe(error: Error & Partial<FastifyError>): { code?: string; statusCode?: number } {
  return {
    ...(error.code !== undefined && { code: error.code }),
    ...(error.statusCode !== undefined && { statusCode: error.statusCode }),
  }
}

export function installErrors(app: FastifyInstance): void {
  // Node would reject an unknown Expect header itself, without our error envelope. Ignoring it is allowed.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = methodsOf(path)
    if (methods.length === 0) {
      sendError(
        new SkeinError('PATH_UNKNOWN', { message: `No operation has the path ${path.slice(0, 256)}.` }),
        request,
        reply,
      )
      return
    }
    void reply.header('allow', methods.join(', '))
    sendError(
      new SkeinError('METHOD_NOT_ALLOWED', { message: `${path} does not accept ${request.method}.` }),
      request,
      reply,
    )
  })
}

/** HTTP 1.0 has no Host header, and some load balancers' health checks still use it. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host !== undefined || raw.httpVersion === '1.0') return
    throw new SkeinError('HTTP_INVALID', { message: 'The request has no Host header.' })
  })
}

const pathForms = OPERATIONS.map(({ path, method }) => ({
  method,
  form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
}))

function methodsOf(path: string): string[] {
  return pathForms.filter(({ form }) => form.test(path)).map(({ method }) => method)
}

/** Responds to anything that isn't valid HTTP, on the bare socket, in the usual error envelope. */
export function answerMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known = new SkeinError(malformedReason(error.code))
  const body = JSON.stringify(toEnvelope(known))
  socket.end(
    [
      `HTTP/1.1 ${known.httpStatus} ${known.code}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestIdFrom(undefined)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function malformedReason(code: string | undefined): Reason {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'HTTP_INVALID'
}
