import { SkeinApiError } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { Button, buttonClasses } from '../ui/button.tsx'
import { EmptyState, ErrorNotice } from '../ui/notice.tsx'

export function MissingAgent({ name }: { readonly name: string }) {
  return (
    <div>
      <h1 className="sr-only">Agent not found</h1>
      <EmptyState title="Agent not found" icon={<SearchX size={28} aria-hidden />}>
        <p className="mb-4 break-words">
          <code>{name}</code> does not exist, or you do not have access to it.
        </p>
        <Link to="/" className={buttonClasses()}>
          Go to the fleet
        </Link>
      </EmptyState>
    </div>
  )
}

export function BrokenAgent({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 p-8">
      <ErrorNotice error={error} className="w-full" />
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}

export function isMissing(error: unknown): boolean {
  return error instanceof SkeinApiError && error.code === 'NOT_FOUND'
}
