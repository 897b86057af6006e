import type { IntegrationEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/time.tsx'
import { AutomationList } from '../automation-list.tsx'
import type { AutomationColumn } from '../automation-table.tsx'
import { integrationsQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FIRST_INTEGRATION } from '../first-documents.ts'
import { HourPlot } from '../hour-plot.tsx'
import { integrationMark } from '../marks.ts'
import { PauseButton } from '../pause-button.tsx'
import { describePlace } from './describe-place.ts'
import { TestButton } from './test-button.tsx'

const COLUMNS: readonly AutomationColumn<IntegrationEntry>[] = [
  { title: 'Type', render: ({ type }) => type },
  { title: 'State', render: ({ state }) => <Badge mark={integrationMark(state)} /> },
  {
    title: 'Last delivered',
    cellClassName: 'whitespace-nowrap',
    render: ({ deliveredTime }) => (
      <>
        <span className="text-muted md:hidden">delivered </span>
        {deliveredTime === '' ? 'never' : <Ago time={deliveredTime} />}
      </>
    ),
  },
  { title: 'Next', cellClassName: 'whitespace-nowrap', render: (entry) => <NextAttempt entry={entry} /> },
  { title: 'Last 24 h', cellClassName: 'max-md:w-full', render: ({ hours }) => <HourPlot hours={hours} /> },
]

export function IntegrationList() {
  return (
    <AutomationList
      tab="integrations"
      label="Integrations"
      first={FIRST_INTEGRATION}
      columns={COLUMNS}
      query={useQuery(integrationsQuery)}
      detailOf={describePlace}
      renderActions={({ name, state }) => (
        <>
          <TestButton name={name} size="small" />
          <PauseButton
            kind="integration"
            name={name}
            isPaused={state === 'PAUSED' || state === 'DISABLED'}
            size="small"
          />
        </>
      )}
    />
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
