import { usageToCsv } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useWorkspaceTeams } from '../../catalog/workspace-teams.ts'
import { Page } from '../../layout/page.tsx'
import { LoadingPage } from '../../layout/page-states.tsx'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/retry-notice.tsx'
import { BudgetList } from './budget-list.tsx'
import { saveText } from './save-text.ts'
import { toSeries } from './stack-usage.ts'
import { UsageFilters } from './usage-filters.tsx'
import { UsagePlot } from './usage-plot.tsx'
import { readUsageSearch, toUsageOptions } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'

const REFRESH_MS = 30_000

/** What models cost, and how much of the monthly budgets is spent. */
export function UsagePage() {
  const navigate = useNavigate({ from: '/usage' })
  const search = useSearch({ from: '/shell/usage' })
  const { period = '24h', by = 'workspace' } = search
  const options = toUsageOptions(search)
  const teams = useWorkspaceTeams(by === 'workspace')
  const usage = useQuery({
    queryKey: ['usage', options],
    queryFn: ({ signal }) => skein.usage({ ...options, signal }),
    enabled: options !== undefined,
    refetchInterval: REFRESH_MS,
  })
  const budgets = useQuery({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => skein.listBudgets({ signal }),
    refetchInterval: REFRESH_MS,
  })
  const change = useCallback(
    (part: Record<string, string>) =>
      void navigate({ search: (current) => readUsageSearch({ ...current, ...part }), replace: true }),
    [navigate],
  )
  const { data } = usage
  const failed = [usage, budgets].find(({ error }) => error !== null)
  return (
    <Page title="Usage" description="Cost and tokens of the workspaces you can see." width="max-w-5xl">
      {failed && (
        <RetryNotice error={failed.error} isBusy={failed.isFetching} onRetry={() => void failed.refetch()} />
      )}
      <div className="flex flex-wrap items-end justify-between gap-3">
        <UsageFilters search={search} onChange={change} />
        {data && (
          <Button onClick={() => saveText(`usage-${period}-by-${by}.csv`, usageToCsv(data))}>
            Download CSV
          </Button>
        )}
      </div>
      {options === undefined && <EmptyState title="Which label?">Type the name of a label.</EmptyState>}
      {usage.isLoading && <LoadingPage />}
      {data && (
        <Card title="Cost">
          {data.groups.length === 0 ? (
            <EmptyState title="No usage">No model was called in this period.</EmptyState>
          ) : (
            <>
              <UsagePlot times={data.times} series={toSeries(data)} isHourly={period === '24h'} />
              <UsageTable by={by} teams={teams} usage={data} />
            </>
          )}
        </Card>
      )}
      {budgets.data && <BudgetList budgets={budgets.data.budgets} />}
    </Page>
  )
}
