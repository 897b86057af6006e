import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/retry-notice.tsx'
import { kindsQuery, resourceQuery } from '../../catalog/catalog-queries.ts'
import { Crumbs } from './crumbs.tsx'
import { ResourceBoard } from './resource-board.tsx'
import { readKind } from '../../catalog/resource-text.ts'

export function ResourcePage() {
  const { kind: kindName, name } = useParams({ from: '/shell/catalog/$kind/$name' })
  const kinds = useQuery(kindsQuery)
  const resource = useQuery({ ...resourceQuery(kindName, name), refetchInterval: 15_000 })
  const description = kinds.data?.find(({ kind }) => kind === kindName)
  const kind = useMemo(() => description && readKind(description), [description])
  const error = kinds.error ?? resource.error
  const hasData = kinds.data !== undefined && resource.data !== undefined
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 p-4 lg:p-6">
      <Crumbs kind={kindName} />
      {error !== null && (
        <RetryNotice
          error={error}
          isBusy={kinds.isFetching || resource.isFetching}
          onRetry={() => void (kinds.isError ? kinds : resource).refetch()}
        >
          {hasData && 'The content below may be out of date. Nothing you typed is lost.'}
        </RetryNotice>
      )}
      {!hasData ? (
        error === null && <LoadingPage />
      ) : kind === undefined ? (
        <EmptyState title={`Unknown kind: ${kindName}`} />
      ) : (
        <ResourceBoard key={`${kindName}/${name}`} kind={kind} name={name} resource={resource.data} />
      )}
    </div>
  )
}
