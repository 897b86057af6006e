import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
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

export function BrokenPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <div className="mx-auto flex max-w-xl flex-col items-start gap-3 p-8">
      <ErrorNotice error={error} className="w-full" />
      <Button onClick={() => void router.invalidate()}>Try again</Button>
    </div>
  )
}
