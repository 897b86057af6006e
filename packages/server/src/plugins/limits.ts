import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** A refusal in time instead of a collapse. */
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
 * Clients of the API come back by themselves. A browser does not ask for a script again, so a refusal would leave the
 * page blank; runs whose runners are refused are lost; and a server that fails its health checks is restarted, which
 * helps nobody.
 */
function canWait({ routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config
  return operation !== undefined && !operation.path.startsWith('/v1/runner/')
}

const MINUTE_MS = 60_000

/** By address, before anything is looked up; whoever guesses keys is slowed down here. */
export async function installAddressLimit(app: FastifyInstance, config: Config): Promise<void> {
  const max = config.SKEIN_ADDRESS_REQUESTS_PER_MINUTE
  if (max === 0) return
  await app.register(rateLimit, { ...rateLimitOptions(max), global: true, hook: 'onRequest' })
}

/** By token, once it is known. Counted by each server for itself: a limit against accidents, not a quota. */
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

/** A share link may have the name of a token, and must not use up what that one has. */
export function callerName({ tenantId, role, token }: Caller): string {
  return `${tenantId}/${role === 'guest' ? 'share-link' : 'token'}/${token}`
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
