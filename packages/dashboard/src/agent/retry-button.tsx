import { RotateCcw } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import type { Drive } from './drive.ts'
import { useContinue } from './use-continue.ts'

const RETRY = 'The last run failed before you were done. Continue where you left off.'

/** Continues an agent from where it failed. */
export function RetryButton({ drive }: { readonly drive: Drive }) {
  const retry = useContinue(drive)
  return (
    <>
      <Button size="small" isBusy={retry.isPending} onClick={() => retry.mutate(RETRY)}>
        <RotateCcw size={14} aria-hidden />
        Retry
      </Button>
      {retry.isError && <ErrorNotice error={retry.error} className="w-full" />}
    </>
  )
}
