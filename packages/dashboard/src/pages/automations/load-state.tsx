import type { UseQueryResult } from '@tanstack/react-query'
import { LoadingPage } from '../../layout/page-states.tsx'
import { RetryNotice } from '../../ui/retry-notice.tsx'

/** While there is nothing to show yet, or when it could not be loaded. */
export function LoadState({
  query: { data, error, isFetching, refetch },
}: {
  readonly query: UseQueryResult
}) {
  if (error !== null) return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  return data === undefined ? <LoadingPage /> : null
}
