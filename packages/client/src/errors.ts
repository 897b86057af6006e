import type { Code, Reason } from '@skein/contract'

/**
 * A brand on the object itself, so that `instanceof` works across two copies of this package in one program, which
 * bundlers and package managers can create.
 */
const BRAND: unique symbol = Symbol.for('skein.client.error')

type ErrorKind = 'api' | 'connection' | 'timeout'

interface CallFacts {
  /** Sent with every attempt: it identifies the call in the service's logs, even without a response. */
  readonly requestId: string
  readonly cause?: unknown
  /** Default: yes. */
  readonly isRetryable?: boolean
}

/**
 * Base class of all call errors. Only an abort by the caller is thrown as given.
 *
 * @example
 * import { SkeinClientError } from '@skein/client'
 *
 * const status = await agent.status().catch((error: unknown) => {
 *   if (error instanceof SkeinClientError && error.isRetryable) return undefined
 *   throw error
 * })
 */
export abstract class SkeinClientError extends Error {
  abstract readonly [BRAND]: ErrorKind
  readonly requestId: string
  /** Whether the same call may succeed later. It has already been retried as often as allowed. */
  readonly isRetryable: boolean

  constructor(message: string, { requestId, cause, isRetryable = true }: CallFacts) {
    super(message, { cause })
    this.requestId = requestId
    this.isRetryable = isRetryable
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return kindOf(value) !== undefined
  }
}

export interface ApiErrorFacts extends CallFacts {
  readonly status: number
  readonly code: Code | 'UNKNOWN'
  readonly reason: string
  readonly details: readonly ErrorDetail[]
  readonly retryDelayMs: number | undefined
  readonly isRetryable: boolean
}

/**
 * Details of an error for programs: which field breaks which rule, how long to wait.
 *
 * @example
 * import { SkeinApiError, type ErrorDetail } from '@skein/client'
 *
 * const detailsOf = (error: unknown): readonly ErrorDetail[] =>
 *   error instanceof SkeinApiError ? error.details : []
 */
export interface ErrorDetail {
  readonly '@type': string
  readonly [field: string]: unknown
}

/**
 * A field that breaks a rule.
 *
 * @example
 * import { SkeinApiError, type FieldViolation } from '@skein/client'
 *
 * const violationsOf = (error: unknown): readonly FieldViolation[] =>
 *   error instanceof SkeinApiError ? error.violations : []
 */
export interface FieldViolation {
  /** Such as `agentId.workspace`; empty for the request as a whole. */
  readonly field: string
  readonly description: string
}

function isViolation(value: unknown): value is FieldViolation {
  if (typeof value !== 'object' || value === null) return false
  const { field, description }: { field?: unknown; description?: unknown } = { ...value }
  return typeof field === 'string' && typeof description === 'string'
}

/**
 * The service responded with an error.
 *
 * @example
 * import { SkeinApiError } from '@skein/client'
 *
 * try {
 *   await agent.stop()
 * } catch (error) {
 *   if (!(error instanceof SkeinApiError) || error.reason !== 'RUN_NOT_CURRENT') throw error
 *   console.log('Nothing was running.', error.requestId)
 * }
 */
export class SkeinApiError extends SkeinClientError {
  override readonly name = 'SkeinApiError'
  readonly [BRAND] = 'api'
  readonly status: number
  /** `UNKNOWN` if the response didn't come from the service, but for example from a proxy. */
  readonly code: Code | 'UNKNOWN'
  /**
   * For programs to branch on. Empty if the response didn't come from the service. A newer service may have other
   * reasons.
   */
  readonly reason: Reason | (string & Record<never, never>)
  readonly details: readonly ErrorDetail[]
  /** The delay requested by the service. */
  readonly retryDelayMs: number | undefined

  /**
   * All invalid fields of the request; empty if the error is about something else.
   *
   * @example
   * import { SkeinApiError } from '@skein/client'
   *
   * await skein.spawn({ description: '' }).catch((error: unknown) => {
   *   if (!(error instanceof SkeinApiError)) throw error
   *   for (const { field, description } of error.violations) console.log(field, description)
   * })
   */
  get violations(): readonly FieldViolation[] {
    return this.details.flatMap(({ fieldViolations }) =>
      Array.isArray(fieldViolations) ? fieldViolations.filter(isViolation) : [],
    )
  }

  constructor(message: string, facts: ApiErrorFacts) {
    super(message, facts)
    this.status = facts.status
    this.code = facts.code
    this.reason = facts.reason
    this.details = facts.details
    this.retryDelayMs = facts.retryDelayMs
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return kindOf(value) === 'api'
  }
}

/**
 * There was no response: it is unknown whether the call was carried out.
 *
 * @example
 * import { SkeinConnectionError } from '@skein/client'
 *
 * await skein.whoami().catch((error: unknown) => {
 *   if (error instanceof SkeinConnectionError) console.log('Is the address right?', error.message)
 * })
 */
export class SkeinConnectionError extends SkeinClientError {
  override readonly name = 'SkeinConnectionError'
  readonly [BRAND] = 'connection'

  static override [Symbol.hasInstance](value: unknown): boolean {
    return kindOf(value) === 'connection'
  }
}

/**
 * There was no response in time: it is unknown whether the call was carried out.
 *
 * @example
 * import { SkeinTimeoutError } from '@skein/client'
 *
 * await agent.status({ timeoutMs: 2_000, retries: 0 }).catch((error: unknown) => {
 *   if (error instanceof SkeinTimeoutError) console.log('Slow today.')
 * })
 */
export class SkeinTimeoutError extends SkeinClientError {
  override readonly name = 'SkeinTimeoutError'
  readonly [BRAND] = 'timeout'

  static override [Symbol.hasInstance](value: unknown): boolean {
    return kindOf(value) === 'timeout'
  }
}

function kindOf(value: unknown): unknown {
  return value instanceof Error ? Reflect.get(value, BRAND) : undefined
}
