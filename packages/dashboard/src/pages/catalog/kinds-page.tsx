import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadState, Page } from '../../layout/page.tsx'
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
    <Page
      title="Catalog"
      description="Workspaces, personas, environments and everything else agents use, with history."
    >
      <LoadState data={kinds} error={error} />
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
    </Page>
  )
}
