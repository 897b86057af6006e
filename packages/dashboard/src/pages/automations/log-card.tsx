import type { ComponentProps, ReactNode } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { Card } from '../../ui/card.tsx'
import { PagesEnd } from '../../ui/pages-end.tsx'

type Pages = ComponentProps<typeof PagesEnd>['pages'] & { readonly isPending: boolean }

/** A log, newest first, page by page. */
export function LogCard({
  title,
  actions,
  pages,
  moreLabel,
  empty,
  entries,
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly pages: Pages
  readonly moreLabel: string
  /** Shown if there are no entries. */
  readonly empty: string
  readonly entries: readonly ReactNode[]
}) {
  return (
    <Card title={title} actions={actions}>
      {pages.isPending && <LoadingPage />}
      {!pages.isPending && entries.length === 0 && pages.error === null && (
        <p className="px-4 py-8 text-center text-sm text-muted">{empty}</p>
      )}
      {entries.length > 0 && <ul className="divide-y divide-line">{entries}</ul>}
      {(pages.hasNextPage || pages.error !== null) && (
        <div className="flex flex-col border-t border-line p-3">
          <PagesEnd pages={pages} moreLabel={moreLabel} />
        </div>
      )}
    </Card>
  )
}
