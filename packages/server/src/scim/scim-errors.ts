import type { SkeinError } from '@skein/contract'
import { ScimError } from '@skein/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toSkeinError } from '../plugins/errors.ts'
import { ERROR } from './scim-documents.ts'

export const SCIM_TYPE = 'application/scim+json; charset=utf-8'

/** Errors in the form of RFC 7644, whatever they come from. */
export function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, scimType } = describe(error, request, reply)
  void reply
    .code(status)
    .type(SCIM_TYPE)
    .send(JSON.stringify({ schemas: [ERROR], status: String(status), ...(scimType && { scimType }), detail }))
}

function describe(error: unknown, { log }: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ScimError) {
    return { status: error.status, detail: error.message, scimType: error.scimType }
  }
  const known: SkeinError = toSkeinError(error)
  if (known.code === 'INTERNAL') log.error({ err: known.cause ?? known }, 'a request failed')
  if (known.retryDelayMs !== undefined) {
    void reply.header('retry-after', Math.max(1, Math.ceil(known.retryDelayMs / 1000)).toString())
  }
  if (known.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer realm="skein"')
  const isSyntax = known.reason === 'JSON_INVALID'
  return {
    status: known.httpStatus,
    detail: known.message,
    scimType: isSyntax ? ('invalidSyntax' as const) : undefined,
  }
}
