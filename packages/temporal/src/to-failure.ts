import { SkeinApiError } from '@skein/client'
import { ApplicationFailure } from '@temporalio/activity'

/** Errors of the service become failures with its reason as their type. Others are retried as Temporal does by default. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof SkeinApiError)) return error
  const { code, reason, status, requestId, violations, retryDelayMs } = error
  return ApplicationFailure.create({
    message: error.message,
    type: reason === '' ? code : reason,
    nonRetryable: !mayHelpToRetry(error),
    details: [{ code, reason, status, requestId, violations }],
    cause: error,
    ...(retryDelayMs !== undefined && { nextRetryDelay: retryDelayMs }),
  })
}

function mayHelpToRetry({ isRetryable, status, code }: SkeinApiError): boolean {
  if (isRetryable || status < 400 || status >= 500) return true
  // A proxy's response says nothing about the request. A rejected key is replaced while workflows go on.
  return code === 'UNKNOWN' || code === 'UNAUTHENTICATED' || code === 'ABORTED'
}
