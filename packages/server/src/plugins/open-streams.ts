import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../config.ts'
import { callerOf } from './authentication.ts'
import { callerName } from './limits.ts'

/** A wait costs a few hundred bytes and shares reads; a stream has a connection's buffers. */
const WAITS_PER_STREAM = 10

type Sort = 'stream' | 'wait'

const counters = new WeakMap<FastifyInstance, OpenStreams>()

export function installOpenStreams(app: FastifyInstance, config: Config): void {
  counters.set(app, new OpenStreams(config.SKEIN_CALLER_STREAMS, config.SKEIN_TENANT_STREAMS))
}

/** Rejects a long response if its caller or tenant has too many open. Otherwise counts it until it ends. */
export function countStream(reply: FastifyReply, sort: Sort): void {
  const close = counters.get(reply.server)?.open(callerOf(reply.request), sort)
  if (close) reply.raw.once('close', close)
}

/** Counted per server. */
class OpenStreams {
  readonly #perCaller: number
  readonly #perTenant: number
  readonly #counts = new Map<string, number>()

  constructor(perCaller: number, perTenant: number) {
    this.#perCaller = perCaller
    this.#perTenant = perTenant
  }

  open(caller: Caller, sort: Sort): () => void {
    const factor = sort === 'wait' ? WAITS_PER_STREAM : 1
    const limits: [string, number][] = [
      [`${sort}:${callerName(caller)}`, this.#perCaller * factor],
      [`${sort}:${caller.tenantId}`, this.#perTenant * factor],
    ]
    for (const [key, limit] of limits) {
      if (limit === 0 || this.#count(key) < limit) continue
      throw new SkeinError('RATE_LIMITED', {
        message: `${limit} of these requests are already open: close some first.`,
        retryDelayMs: 5_000,
      })
    }
    for (const [key] of limits) this.#counts.set(key, this.#count(key) + 1)
    return () => {
      for (const [key] of limits) {
        const left = this.#count(key) - 1
        if (left > 0) this.#counts.set(key, left)
        else this.#counts.delete(key)
      }
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0
  }
}
