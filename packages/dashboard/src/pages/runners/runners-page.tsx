import { useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { Page } from '../../layout/page.tsx'
import { LoadingPage } from '../../layout/page-states.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/retry-notice.tsx'
import { toPoolRows } from './pool-rows.ts'
import { PoolsCard } from './pools-card.tsx'
import { RunnerItem } from './runner-item.tsx'
import { runnersQuery } from './runners-query.ts'

/** The runners, and the work waiting for them. */
export function RunnersPage() {
  const { data, error, isFetching, refetch } = useQuery(runnersQuery)
  return (
    <Page
      title="Runners"
      description={data === undefined ? 'Loading…' : 'Runners seen in the last ten minutes.'}
      width="max-w-5xl"
    >
      {error !== null && <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingPage />}
      {data !== undefined && (
        <>
          <PoolsCard pools={toPoolRows(data.pools, data.runners)} />
          <Card title={`Runners · ${data.runners.length}`}>
            {data.runners.length === 0 ? (
              <EmptyState title="No runners" icon={<Server size={28} aria-hidden />}>
                Agents stay pending until a runner connects. <code>skein doctor</code> shows how to start one.
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line">
                {data.runners.map((runner) => (
                  // Runners on one host often share its name.
                  <RunnerItem
                    key={`${runner.name} ${runner.pools.join()} ${runner.seenTime}`}
                    runner={runner}
                  />
                ))}
              </ul>
            )}
          </Card>
        </>
      )}
    </Page>
  )
}
