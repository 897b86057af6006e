import type { FieldViolation } from '../validation.ts'
import { CODES, type Code } from './codes.ts'
import { REASONS, type Reason, type ReasonEntry } from './reasons.ts'

export interface ErrorFacts {
  /** For the caller: what is wrong with this request. Defaults to the registry's summary. */
  readonly message?: string
  readonly violations?: readonly FieldViolation[]
  /** Facts a program can act on. Never secrets or another tenant's data. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly retryDelayMs?: number
  /** Whether this replays the outcome of an earlier request with the same idempotency key. */
  readonly isReplay?: boolean
  /** For our logs only. */
  readonly cause?: unknown
}

/** Codes that say nothing about the request itself: it may succeed later, or with valid credentials. */
const PASSING: ReadonlySet<Code> = new Set<Code>([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
])

/** The one error type that crosses package boundaries. The reason determines the code and the HTTP status. */
export class SkeinError extends Error {
  override readonly name = 'SkeinError'
  readonly reason: Reason
  readonly violations: readonly FieldViolation[]
  readonly metadata: Readonly<Record<string, string>>
  readonly retryDelayMs: number | undefined
  readonly isReplay: boolean

  constructor(reason: Reason, facts: ErrorFacts = {}) {
    super(facts.message ?? REASONS[reason].summary, { cause: facts.cause })
    this.reason = reason
    this.violations = facts.violations ?? []
    this.metadata = facts.metadata ?? {}
    this.retryDelayMs = facts.retryDelayMs
    this.isReplay = facts.isReplay ?? false
  }

  get code(): Code {
    return REASONS[this.reason].code
  }

  /** Whether the rejection is definite, with no point in retrying. */
  get isFinal(): boolean {
    return this.retryDelayMs === undefined && !PASSING.has(this.code)
  }

  get httpStatus(): number {
    const entry: ReasonEntry = REASONS[this.reason]
    return entry.httpStatus ?? CODES[entry.code].httpStatus
  }
}
