import { SkeinApiError, type SkeinClientError } from '../errors.ts'
import type { OperationFacts } from './operation-facts.ts'

const BASE_DELAY_MS = 250
const MAX_BACKOFF_MS = 8_000
/** Longer delays are left to the caller, who may have something better to do. */
const MAX_ASKED_DELAY_MS = 30_000

/**
 * Whether a call without a response is repeated although it may have been carried out. Mutations have their
 * Idempotency-Key, and a runner's reports their lease and `reportId`. Polls have nothing like it: runs assigned in a
 * lost response are not assigned again, so the runner decides when to ask again.
 */
export function isRepeatable(operation: OperationFacts): boolean {
  return operation.id !== 'pollRuns'
}

/** Delay before the next attempt; undefined if there must be none. */
export function retryDelayMs(
  error: SkeinClientError,
  retry: { readonly attempt: number; readonly isRepeatable: boolean; readonly random: () => number },
): number | undefined {
  if (!error.isRetryable || !(retry.isRepeatable || isRefusal(error))) return undefined
  // Full jitter: callers that failed together must not retry together.
  const backoffMs = retry.random() * Math.min(MAX_BACKOFF_MS, BASE_DELAY_MS * 2 ** (retry.attempt - 1))
  const askedMs = error instanceof SkeinApiError ? (error.retryDelayMs ?? 0) : 0
  return askedMs > MAX_ASKED_DELAY_MS ? undefined : askedMs + backoffMs
}

/** The service itself rejected the call, so it did nothing. A proxy's 502 says nothing about the service. */
function isRefusal(error: SkeinClientError): boolean {
  return error instanceof SkeinApiError && error.code !== 'UNKNOWN'
}
