import { isDeepStrictEqual } from 'node:util'
import { SkeinError, type Operation } from '@skein/contract'
import { isAllowed, requirePermission, type Caller } from '@skein/core'
import type { Authenticator } from '@skein/engine'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readJustification } from './justification.ts'
import { waitForTurn } from './fair-start.ts'
import { formatSessionCookie, isSameOrigin, PAGE_SECRET_HEADER, readSessionCookie } from './session-cookie.ts'

const BEARER = /^Bearer +([^\s]+)$/i
/** How long the cookie of a session that moved is kept. The session itself may end before. */
const FOLLOWED_SECONDS = 86_400
const SAFE_METHODS = new Set(['GET', 'HEAD'])

const recheckers = new WeakMap<FastifyInstance, (request: FastifyRequest) => Promise<Caller | undefined>>()

/**
 * Authenticates and checks permissions before reading any of the body. In preParsing, because the rate limit by
 * address is an onRequest hook of each route and must come first.
 */
export function installAuthentication(
  app: FastifyInstance,
  authenticator: Authenticator,
  publicUrl: string,
): void {
  app.decorateRequest('caller', undefined)
  app.addHook('preParsing', async (request, reply) => {
    const { operation } = request.routeOptions.config
    if (!operation) return
    if (operation.permission === 'none') {
      // Otherwise another site could sign its visitor in as someone else, and read what they write there.
      if (isSameOrigin(request, publicUrl) === false) throw new SkeinError('CROSS_SITE_REQUEST')
      return
    }
    const caller = await authenticate(request).catch((error: unknown) => {
      followTenant(request, reply, error)
      throw error
    })
    if (caller === undefined) {
      await waitForTurn(request, 0)
      throw new SkeinError('CREDENTIAL_INVALID')
    }
    // Browsers add the cookie to requests from any page. Only an API key header proves intent.
    const isMeant = caller.sessionId === undefined || SAFE_METHODS.has(request.method)
    if (!isMeant && isSameOrigin(request, publicUrl) !== true) throw new SkeinError('CROSS_SITE_REQUEST')
    // What one person saw must not be shown to the next one using the same browser.
    if (caller.sessionId !== undefined) void reply.header('cache-control', 'no-store')
    request.caller = withReads(request, caller, operation)
    requirePermission(caller, operation.permission)
  })
  recheckers.set(app, async (request) => {
    const { operation } = request.routeOptions.config
    const caller = await authenticate(request).catch(noneIfHeld)
    if (caller === undefined || operation === undefined || operation.permission === 'none') return undefined
    const isSame = isDeepStrictEqual(scopeOf(caller), scopeOf(callerOf(request)))
    return isSame && isAllowed(caller.role, operation.permission) ? caller : undefined
  })

  /** The session is in the other cell too: the next request goes there. */
  function followTenant({ headers }: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const cell = error instanceof SkeinError ? error.metadata['cell'] : undefined
    const secret = readSessionCookie(publicUrl, headers.cookie ?? '')
    if (cell === undefined || secret === undefined || headers.authorization !== undefined) return
    void reply.header('set-cookie', formatSessionCookie({ publicUrl, cell }, secret, FOLLOWED_SECONDS))
  }

  function authenticate(request: FastifyRequest): Promise<Caller | undefined> {
    const { headers, ip, id } = request
    const { authorization, cookie } = headers
    if (authorization !== undefined) return authenticateBearer(authorization, { address: ip, requestId: id })
    const secret = cookie === undefined ? undefined : readSessionCookie(publicUrl, cookie)
    if (secret === undefined) throw new SkeinError('CREDENTIAL_MISSING')
    const pageSecret = headers[PAGE_SECRET_HEADER]?.toString()
    if (pageSecret === undefined) {
      throw new SkeinError('CREDENTIAL_MISSING', {
        message: 'A session cookie is valid only together with the secret of the page that signed in.',
      })
    }
    return authenticator.authenticateSession(secret, pageSecret)
  }

  async function authenticateBearer(
    authorization: string,
    use: { address: string; requestId: string },
  ): Promise<Caller | undefined> {
    const key = BEARER.exec(authorization)?.[1]
    return key === undefined ? undefined : authenticator.authenticate(key, use)
  }
}

const HELD: ReadonlySet<string> = new Set(['TENANT_SUSPENDED', 'TENANT_MOVING', 'TENANT_MOVED'])

/** A stream has to end then, unlike after an error of which nothing follows. */
function noneIfHeld(error: unknown): undefined {
  if (error instanceof SkeinError && HELD.has(error.reason)) return undefined
  throw error
}

/** An operator's reads in another tenant are audited there, so include the request's details. */
function withReads({ id, headers }: FastifyRequest, caller: Caller, operation: Operation): Caller {
  if (caller.role !== 'operator' || operation.isMutation) return caller
  const justification = readJustification(headers['x-skein-justification'])
  return { ...caller, reads: { operation: operation.id, requestId: id, justification } }
}

/** Who a caller is and what its key is for. */
function scopeOf({ tenantId, role, ownerProvider, account, token, within }: Caller) {
  return { tenantId, role, ownerProvider, account, token, within }
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('A route of an operation always has a caller')
  return request.caller
}

/**
 * For long responses: the caller as it is now. Undefined if its key or session has ended, or now stands for someone
 * else or another agent.
 */
export async function currentCaller(request: FastifyRequest): Promise<Caller | undefined> {
  return recheckers.get(request.server)?.(request)
}

/** Also false if the caller's teams changed: a stream must not go on with what it saw before. */
export async function isStillValid(request: FastifyRequest): Promise<boolean> {
  const caller = await currentCaller(request)
  return caller !== undefined && isDeepStrictEqual(caller.teams, callerOf(request).teams)
}
