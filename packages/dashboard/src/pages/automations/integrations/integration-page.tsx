import type { IntegrationEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Card, PageHeader } from '../../../ui/card.tsx'
import { Fact } from '../../../ui/fact.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AutomationPage } from '../automation-page.tsx'
import { integrationsQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { DocumentLink } from '../document-link.tsx'
import { HourPlot } from '../hour-plot.tsx'
import { integrationMark } from '../marks.ts'
import { PauseButton } from '../pause-button.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { describePlace } from './describe-place.ts'
import { ReplayMenu } from './replay-menu.tsx'
import { TestButton } from './test-button.tsx'
import { NextAttempt } from './integration-list.tsx'

/** One integration: its state, and what was sent. */
export function IntegrationPage() {
  const { name } = useParams({ from: '/shell/automations/integrations/$name' })
  return (
    <AutomationPage
      kind="integration"
      name={name}
      query={useQuery(integrationsQuery)}
      renderBoard={(entry) => <IntegrationBoard key={name} entry={entry} />}
    />
  )
}

function IntegrationBoard({ entry }: { readonly entry: IntegrationEntry }) {
  const canWrite = canWriteCatalog(useIdentity())
  const { name, type, state, disabledBecause, failures, failingSince, deliveredTime, hours } = entry
  const isOff = state === 'PAUSED' || state === 'DISABLED'
  return (
    <>
      <PageHeader
        title={name}
        description={
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <Badge mark={integrationMark(state)} />
            <span>{type}</span>
            <code className="min-w-0 break-all">{describePlace(entry)}</code>
          </span>
        }
        actions={
          <>
            <DocumentLink kind="integration" name={name} />
            {canWrite && (
              <>
                <TestButton name={name} />
                {!isOff && <ReplayMenu name={name} />}
                <PauseButton kind="integration" name={name} isPaused={isOff} />
              </>
            )}
          </>
        }
      />
      {state === 'DISABLED' && (
        <Notice tone="error">
          Disabled by the service: {disabledBecause}
          {canWrite && ' Once the receiver works again, resume it and replay what it missed.'}
        </Notice>
      )}
      <Card className="p-4">
        <div className="grid gap-4 md:grid-cols-2">
          <dl className="grid grid-cols-2 content-start gap-3 text-sm">
            <Fact name="Last delivered">{deliveredTime === '' ? 'never' : <Ago time={deliveredTime} />}</Fact>
            <Fact name="Next attempt">
              <NextAttempt entry={entry} />
            </Fact>
            {failures > 0 && (
              <Fact name="Failing">
                {failures === 1 ? 'once' : `${failures.toLocaleString('en')} times in a row`}, since{' '}
                <Ago time={failingSince} />
              </Fact>
            )}
            {entry.waitingSince !== '' && (
              <Fact name="Oldest waiting event">
                <Ago time={entry.waitingSince} />
              </Fact>
            )}
          </dl>
          <div className="min-w-0">
            <h2 className="mb-1 text-xs text-muted">Requests in the last 24 hours</h2>
            <HourPlot hours={hours} isLarge />
          </div>
        </div>
      </Card>
      <DeadLetters name={name} canReplay={canWrite && !isOff} />
      <DeliveryLog name={name} canWrite={canWrite} canReplay={canWrite && !isOff} />
    </>
  )
}
