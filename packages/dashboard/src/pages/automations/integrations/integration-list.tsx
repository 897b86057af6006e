import type { IntegrationEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoadingPage } from '../../../layout/page-states.tsx'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Card } from '../../../ui/card.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { STACKED_ROW, StackedTable } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { integrationsQuery } from '../automation-queries.ts'
import { Badge } from '../badge.tsx'
import { FirstAutomation } from '../first-automation.tsx'
import { FIRST_INTEGRATION } from '../first-documents.ts'
import { HourPlot } from '../hour-plot.tsx'
import { integrationMark } from '../marks.ts'
import { PauseButton } from '../pause-button.tsx'
import { describePlace } from './describe-place.ts'
import { TestButton } from './test-button.tsx'

const COLUMNS = ['Name', 'Type', 'State', 'Last delivered', 'Next', 'Last 24 h'].map((title) => ({ title }))
const ACTIONS = { title: 'Actions', isTitleHidden: true }

export function IntegrationList() {
  const canWrite = canWriteCatalog(useIdentity())
  const { data, error, isFetching, refetch } = useQuery(integrationsQuery)
  return (
    <div className="flex flex-col gap-4">
      {error !== null && <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingPage />}
      {data !== undefined && (
        <Card>
          {data.length === 0 ? (
            <FirstAutomation first={FIRST_INTEGRATION} />
          ) : (
            <StackedTable label="Integrations" columns={canWrite ? [...COLUMNS, ACTIONS] : COLUMNS}>
              {data.map((entry) => (
                <IntegrationRow key={entry.name} entry={entry} canWrite={canWrite} />
              ))}
            </StackedTable>
          )}
        </Card>
      )}
    </div>
  )
}

function IntegrationRow({
  entry,
  canWrite,
}: {
  readonly entry: IntegrationEntry
  readonly canWrite: boolean
}) {
  const { name, type, state, deliveredTime, hours } = entry
  const place = describePlace(entry)
  return (
    <tr className={STACKED_ROW}>
      <th scope="row" className="px-4 py-2.5 font-medium max-md:w-full md:max-w-64">
        <Link
          to="/automations/integrations/$name"
          params={{ name }}
          title={name}
          className="block truncate text-accent-text hover:underline"
        >
          {name}
        </Link>
        <span className="block truncate text-xs font-normal text-muted" title={place}>
          {place}
        </span>
      </th>
      <td className="px-4 py-2.5">{type}</td>
      <td className="px-4 py-2.5">
        <Badge mark={integrationMark(state)} />
      </td>
      <td className="px-4 py-2.5 whitespace-nowrap">
        <span className="text-muted md:hidden">delivered </span>
        {deliveredTime === '' ? 'never' : <Ago time={deliveredTime} />}
      </td>
      <td className="px-4 py-2.5 whitespace-nowrap">
        <NextAttempt entry={entry} />
      </td>
      <td className="px-4 py-2.5 max-md:w-full">
        <HourPlot hours={hours} />
      </td>
      {canWrite && (
        <td className="px-4 py-2.5 text-right max-md:ml-auto">
          <div className="flex justify-end gap-2">
            <TestButton name={name} size="small" />
            <PauseButton
              kind="integration"
              name={name}
              isPaused={state === 'PAUSED' || state === 'DISABLED'}
              size="small"
            />
          </div>
        </td>
      )}
    </tr>
  )
}

/** When something is sent next, and for how many agents. */
export function NextAttempt({ entry }: { readonly entry: IntegrationEntry }) {
  const { waitingAgents, nextAttemptTime } = entry
  if (waitingAgents === 0) return <span className="text-muted">nothing waiting</span>
  const agents = waitingAgents === 1 ? '1 agent' : `${waitingAgents.toLocaleString('en')} agents`
  return (
    <>
      {nextAttemptTime === '' ? 'now' : <Ago time={nextAttemptTime} />}
      <span className="text-muted"> · {agents} waiting</span>
    </>
  )
}
