import { SkeinClientError } from '@skein/client'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button, buttonClasses } from '../ui/button.tsx'
import { EmptyState, ErrorNotice } from '../ui/notice.tsx'

export function LoadingPage() {
  return (
    <p role="status" className="p-10 text-center text-sm text-muted">
      Loading…
    </p>
  )
}

export function MissingPage() {
  return (
    <div>
      <h1 className="sr-only">Page not found</h1>
      <EmptyState title="Page not found">
        <Link to="/" className={buttonClasses()}>
          Go to the fleet
        </Link>
      </EmptyState>
    </div>
  )
}

const RETRY_MS = 5_000

export function BrokenPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const isRetried = error instanceof SkeinClientError && error.isRetryable
  useEffect(() => {
    if (!isRetried) return
    const timer = setInterval(() => void router.invalidate(), RETRY_MS)
    return () => clearInterval(timer)
  }, [isRetried, router])
  return (
    <div className="mx-auto flex max-w-xl flex-col items-start gap-3 p-8">
      <ErrorNotice error={error} className="w-full" />
      {isRetried && <p className="text-sm text-muted">Retried automatically every 5 seconds.</p>}
      <Button onClick={() => void router.invalidate()}>Try again</Button>
    </div>
  )
}
