import type { Operation } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { Context } from '@opentelemetry/api'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for /healthz and others outside the contract. */
    operation?: Operation
  }
  interface FastifyRequest {
    /** Set once the key has been checked. */
    caller: Caller | undefined
    /** With the request's span; set for operations of the contract. */
    traceContext: Context | undefined
  }
}
