import { SkeinApiError } from '@skein/client'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const TONES = {
  info: 'border-line bg-raised text-ink',
  warning: 'border-waiting/40 bg-waiting-soft text-waiting',
  error: 'border-failed/40 bg-failed-soft text-failed',
  success: 'border-completed/40 bg-completed-soft text-completed',
} as const

export function Notice({
  tone = 'info',
  children,
  className,
}: {
  readonly tone?: keyof typeof TONES
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames('rounded-lg border px-4 py-3 text-sm', TONES[tone], className)}
    >
      {children}
    </div>
  )
}

/** The service's error message, with details to quote to its operator. */
export function ErrorNotice({
  error,
  className,
  children,
}: {
  readonly error: unknown
  readonly className?: string
  readonly children?: ReactNode
}) {
  return (
    <Notice tone="error" {...(className !== undefined && { className })}>
      <p>{explainError(error)}</p>
      {error instanceof SkeinApiError && (
        <p className="mt-1 text-xs opacity-90">
          {error.reason} · request <code>{error.requestId}</code>
        </p>
      )}
      {children}
    </Notice>
  )
}

export function explainError(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong. Reload the page.'
}

/** Says what is missing, and what to do about it. */
export function EmptyState({
  title,
  children,
  icon,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly icon?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      {icon !== undefined && <div className="text-muted">{icon}</div>}
      <p className="font-semibold">{title}</p>
      <div className="max-w-md text-sm text-muted">{children}</div>
    </div>
  )
}
