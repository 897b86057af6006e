import { SkeinApiError, type SkeinClientError } from '../errors.ts'
import type { OperationFacts } from './operation-facts.ts'

const BASE_DELAY_MS = 250
const MAX_BACKOFF_MS = 8_000
/** A service that asks for more than this is left to the caller, who may have something better to do meanwhile. */
const MAX_ASKED_DELAY_MS = 30_000

/**
 * Whether a call without an answer is sent again although it may have been carried out. A mutation has its
 * Idempotency-Key, and the reports of a runner their lease and `reportId`. A poll has nothing of the kind: the
 * runs that a lost answer handed out are not handed out again, so the runner decides by itself when to ask anew.
 */
export function isRepeatable(operation: OperationFacts): boolean {
  return operation.id !== 'pollRuns'
}

/** How long to wait before the next try; undefined when there must not be one. */
export function retryDelayMs(
  error: SkeinClientError,
  retry: { readonly attempt: number; readonly isRepeatable: boolean; readonly random: () => number },
): number | undefined {
  if (!error.isRetryable || !(retry.isRepeatable || isRefusal(error))) return undefined
  // Full jitter: callers that failed together must not come back together.
  const backoffMs = retry.random() * Math.min(MAX_BACKOFF_MS, BASE_DELAY_MS * 2 ** (retry.attempt - 1))
  const askedMs = error instanceof SkeinApiError ? (error.retryDelayMs ?? 0) : 0
  return askedMs > MAX_ASKED_DELAY_MS ? undefined : askedMs + backoffMs
}

/** The service itself said no, so it did nothing. A bare 502 of a proxy says nothing about the service. */
function isRefusal(error: SkeinClientError): boolean {
  return error instanceof SkeinApiError && error.code !== 'UNKNOWN'
}
