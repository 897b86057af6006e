import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

/** What could not be loaded, with a retry button. */
export function RetryNotice({
  error,
  isBusy,
  onRetry,
  className,
  children,
}: {
  readonly error: unknown
  readonly isBusy: boolean
  readonly onRetry: () => void
  readonly className?: string
  readonly children?: ReactNode
}) {
  return (
    <ErrorNotice error={error} {...(className !== undefined && { className })}>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
        {Boolean(children) && <p className="min-w-0">{children}</p>}
        <Button size="small" isBusy={isBusy} onClick={onRetry}>
          Try again
        </Button>
      </div>
    </ErrorNotice>
  )
}
