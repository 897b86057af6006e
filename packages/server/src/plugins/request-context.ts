import type { Operation } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { Span } from '@opentelemetry/api'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on /healthz and the like, which are not part of the contract. */
    operation?: Operation
  }
  interface FastifyRequest {
    /** Set once the key was checked. */
    caller: Caller | undefined
    span: Span | undefined
  }
}
