import { SkeinError } from '@skein/contract'
import { requirePermission, type Caller } from '@skein/core'
import type { Authenticator } from '@skein/engine'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const BEARER = /^Bearer +([^\s]+)$/i

/**
 * Before a single byte of the body is read: who is it, and may they do this at all? In preParsing, because the
 * limit by address hangs on each route's onRequest and must come first.
 */
export function installAuthentication(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('caller', undefined)
  app.addHook('preParsing', async (request) => {
    const { operation } = request.routeOptions.config
    if (!operation) return
    const { authorization } = request.headers
    if (authorization === undefined) throw new SkeinError('CREDENTIAL_MISSING')
    const key = BEARER.exec(authorization)?.[1]
    const caller = key === undefined ? undefined : await authenticator.authenticate(key)
    if (caller === undefined) throw new SkeinError('CREDENTIAL_INVALID')
    request.caller = caller
    requirePermission(caller, operation.permission)
  })
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('A route of an operation always has a caller')
  return request.caller
}
