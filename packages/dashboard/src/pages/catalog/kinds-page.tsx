import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadingPage } from '../../layout/page-states.tsx'
import { PageHeader } from '../../ui/card.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { kindsQuery, resourcesQuery } from '../../catalog/catalog-queries.ts'

/** The configuration of a tenant, by kind. */
export function KindsPage() {
  const { data: kinds, error } = useQuery(kindsQuery)
  const counts = useQueries({
    queries: (kinds ?? []).map(({ kind }) => ({
      ...resourcesQuery(kind),
      select: (resources: readonly unknown[]) => resources.length,
    })),
  })
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 p-4 lg:p-6">
      <PageHeader
        title="Catalog"
        description="Workspaces, personas, environments and everything else agents use, with history."
      />
      {error !== null && <ErrorNotice error={error} />}
      {kinds === undefined && error === null && <LoadingPage />}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {kinds?.map(({ kind, summary }, index) => (
          <li key={kind}>
            <Link
              to="/catalog/$kind"
              params={{ kind }}
              className="flex h-full flex-col gap-1 rounded-xl border border-line bg-surface p-4 hover:border-line-strong"
            >
              <span className="flex items-baseline justify-between gap-3">
                <span className="font-semibold">{kind}</span>
                <span className="text-sm text-muted tabular-nums">
                  {counts[index]?.data ?? '–'}
                  <span className="sr-only"> resources</span>
                </span>
              </span>
              <span className="text-sm text-muted">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
