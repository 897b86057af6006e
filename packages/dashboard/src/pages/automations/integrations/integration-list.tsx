import type { IntegrationEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { STACKED_ROW } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AutomationList } from '../automation-list.tsx'
import { integrationsQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FIRST_INTEGRATION } from '../first-documents.ts'
import { HourPlot } from '../hour-plot.tsx'
import { integrationMark } from '../marks.ts'
import { NameCell } from '../name-cell.tsx'
import { PauseButton } from '../pause-button.tsx'
import { describePlace } from './describe-place.ts'
import { TestButton } from './test-button.tsx'

const COLUMNS = ['Name', 'Type', 'State', 'Last delivered', 'Next', 'Last 24 h'].map((title) => ({ title }))

export function IntegrationList() {
  return (
    <AutomationList
      label="Integrations"
      first={FIRST_INTEGRATION}
      columns={COLUMNS}
      query={useQuery(integrationsQuery)}
      renderRow={(entry, canWrite) => <IntegrationRow key={entry.name} entry={entry} canWrite={canWrite} />}
    />
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
  return (
    <tr className={STACKED_ROW}>
      <NameCell tab="integrations" name={name} detail={describePlace(entry)} />
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
