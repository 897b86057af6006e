import type { Resource } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorNotice } from '../../ui/notice.tsx'
import { LoadingPage } from '../../layout/page-states.tsx'
import type { EditedKind } from './resource-text.ts'
import { RestoreDialog } from './restore-dialog.tsx'
import { takePage } from './take-pages.ts'
import { VersionEntry, type Version } from './version-entry.tsx'

const PAGE = 50

/** Every generation of a resource, newest first. */
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
    queryFn: ({ pageParam }) => takePage(pageParam ?? skein.catalog.history(kind.kind, name), PAGE),
    initialPageParam: undefined as AsyncGenerator<Version, void> | undefined,
    getNextPageParam: ({ rest }) => rest,
  })
  if (history.isPending) return <LoadingPage />
  if (history.isError) return <ErrorNotice error={history.error} />
  const versions = history.data.pages.flatMap(({ items }) => items)
  if (versions.length === 0)
    return <EmptyState title="No history yet">Each save makes a generation that stays here.</EmptyState>
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
      {history.hasNextPage && (
        <Button isBusy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          Show older generations
        </Button>
      )}
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
