import type { ComponentProps, ReactNode } from 'react'
import { PageHeader } from '../ui/card.tsx'
import { classNames } from '../ui/class-names.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { LoadingPage } from './page-states.tsx'

/** A page with a header, in the middle of the window. */
export function Page({
  width = 'max-w-6xl',
  children,
  ...header
}: ComponentProps<typeof PageHeader> & {
  readonly width?: 'max-w-3xl' | 'max-w-5xl' | 'max-w-6xl'
  readonly children: ReactNode
}) {
  return (
    <div className={classNames('mx-auto flex w-full flex-col gap-4 p-4 lg:p-6', width)}>
      <PageHeader {...header} />
      {children}
    </div>
  )
}

/** What a page shows while its data is loading, or why it cannot be loaded. */
export function LoadState({ data, error }: { readonly data: unknown; readonly error: unknown }) {
  if (error !== null) return <ErrorNotice error={error} />
  return data === undefined && <LoadingPage />
}
