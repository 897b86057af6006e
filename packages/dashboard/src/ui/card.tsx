import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Card({
  title,
  actions,
  children,
  className,
}: {
  readonly title?: string | undefined
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string | undefined
}) {
  return (
    <section className={classNames('min-w-0 rounded-xl border border-line bg-surface', className)}>
      {(title !== undefined || actions !== undefined) && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          {title !== undefined && <h2 className="text-sm font-semibold">{title}</h2>}
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** A page's title and actions. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
        {description !== undefined && <div className="mt-0.5 text-sm text-muted">{description}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}
