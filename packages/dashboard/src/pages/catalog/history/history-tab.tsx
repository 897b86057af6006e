import type { Resource } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { skein } from '../../../session/skein.ts'
import { EmptyState } from '../../../ui/notice.tsx'
import { LoadingPage } from '../../../layout/page-states.tsx'
import { findNextPage } from '../../../ui/next-page.ts'
import { PagesEnd } from '../../../ui/pages-end.tsx'
import type { EditedKind } from '../../../catalog/resource-text.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { VersionEntry, type Version } from './version-entry.tsx'

const PAGE = 50

export function HistoryTab({
  kind,
  name,
  resource,
  canWrite,
}: {
  readonly kind: EditedKind
  readonly name: string
  readonly resource: Resource | null
  readonly canWrite: boolean
}) {
  const [restored, setRestored] = useState<Version>()
  const history = useInfiniteQuery({
    queryKey: ['history', kind.kind, name],
    queryFn: ({ pageParam, signal }) =>
      skein.catalog.listHistory(kind.kind, name, { pageSize: PAGE, pageToken: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: findNextPage,
  })
  if (history.isPending) return <LoadingPage />
  const versions = history.data?.pages.flatMap(({ entries }) => entries) ?? []
  if (versions.length === 0 && !history.isError)
    return <EmptyState title="No history yet">Every save is kept here as a generation.</EmptyState>
  return (
    <div className="flex flex-col gap-3">
      <ol className="flex flex-col gap-3">
        {versions.map((version, index) => (
          <VersionEntry
            key={version.generation}
            kind={kind}
            version={version}
            previous={versions[index + 1]}
            isCurrent={version.generation === resource?.generation}
            canRestore={canWrite && version.action !== 'ACTION_DELETED'}
            onRestore={() => setRestored(version)}
          />
        ))}
      </ol>
      <PagesEnd pages={history} moreLabel="Show older generations" />
      {restored !== undefined && (
        <RestoreDialog
          kind={kind}
          name={name}
          resource={resource}
          version={restored}
          onClose={() => setRestored(undefined)}
        />
      )}
    </div>
  )
}
