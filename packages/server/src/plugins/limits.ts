import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Sheds load early instead of collapsing. */
export async function installLimits(app: FastifyInstance, config: Config): Promise<void> {
  if (config.SKEIN_MAX_EVENT_LOOP_DELAY_MS === 0) return
  await app.register(underPressure, {
    maxEventLoopDelay: config.SKEIN_MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: (request) => {
      if (canWait(request)) throw new SkeinError('SERVER_OVERLOADED', { retryDelayMs: 2_000 })
    },
  })
}

/**
 * API clients retry automatically. A browser does not retry a script, so a rejection would leave a blank page; runs
 * whose runners are rejected are lost; and restarting a server that fails its health checks doesn't help.
 */
function canWait({ routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config
  return operation !== undefined && !operation.path.startsWith('/v1/runner/')
}

const MINUTE_MS = 60_000

/** By address, before any lookup. Slows down key guessing. */
export async function installAddressLimit(app: FastifyInstance, config: Config): Promise<void> {
  const max = config.SKEIN_ADDRESS_REQUESTS_PER_MINUTE
  if (max === 0) return
  await app.register(rateLimit, { ...rateLimitOptions(max), global: true, hook: 'onRequest' })
}

/** By token, once it is known. Counted per server: it protects against accidents and is not a quota. */
export async function installCallerLimit(app: FastifyInstance, config: Config): Promise<void> {
  const max = config.SKEIN_CALLER_REQUESTS_PER_MINUTE
  if (max === 0) return
  await app.register(rateLimit, {
    ...rateLimitOptions(max),
    global: true,
    hook: 'preParsing',
    allowList: (request) => request.caller === undefined,
    keyGenerator: ({ caller, ip }) => (caller ? callerName(caller) : ip),
  })
}

/**
 * A share link may have the same name as a token, and must not use up its limit. People who signed in with the same
 * identity provider differ by account.
 */
export function callerName({ tenantId, role, token, account }: Caller): string {
  return `${tenantId}/${role === 'guest' ? 'share-link' : 'token'}/${token}/${account}`
}

function rateLimitOptions(max: number) {
  return {
    max,
    timeWindow: MINUTE_MS,
    enableDraftSpec: true,
    errorResponseBuilder: (_request: unknown, { ttl }: { ttl: number }) =>
      new SkeinError('RATE_LIMITED', { retryDelayMs: ttl }),
  }
}
