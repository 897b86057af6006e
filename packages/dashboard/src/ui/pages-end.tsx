import { Button } from './button.tsx'
import { RetryNotice } from './retry-notice.tsx'

interface Pages {
  readonly error: unknown
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly isFetchingNextPage: boolean
  readonly isFetchNextPageError: boolean
  readonly fetchNextPage: () => Promise<unknown>
  readonly refetch: () => Promise<unknown>
}

/** A button for the next page, or the error that prevented loading it. */
export function PagesEnd({ pages, moreLabel }: { readonly pages: Pages; readonly moreLabel: string }) {
  if (pages.error !== null)
    return (
      <RetryNotice
        error={pages.error}
        isBusy={pages.isFetching}
        onRetry={() => void (pages.isFetchNextPageError ? pages.fetchNextPage() : pages.refetch())}
      />
    )
  if (!pages.hasNextPage) return null
  return (
    <Button
      className="self-center"
      isBusy={pages.isFetchingNextPage}
      onClick={() => void pages.fetchNextPage()}
    >
      {moreLabel}
    </Button>
  )
}
