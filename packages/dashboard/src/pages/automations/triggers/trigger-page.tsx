import type { TriggerEntry } from '@skein/client'
import { providerName } from '@skein/contract/facts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Card, PageHeader } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Fact } from '../../../ui/fact.tsx'
import { AutomationPage } from '../automation-page.tsx'
import { triggersQuery } from '../automation-queries.ts'
import { DocumentLink } from '../document-link.tsx'
import { HourPlot } from '../hour-plot.tsx'
import { PauseButton } from '../pause-button.tsx'
import { PausedState } from '../paused-state.tsx'
import { LastRequest } from './trigger-list.tsx'
import { TriggerLog } from './trigger-log.tsx'

/** One trigger: its state, and its requests with their outcomes. */
export function TriggerPage() {
  const { name } = useParams({ from: '/shell/automations/triggers/$name' })
  return (
    <AutomationPage
      kind="trigger"
      name={name}
      query={useQuery(triggersQuery)}
      renderBoard={(entry) => <TriggerBoard key={name} entry={entry} />}
    />
  )
}

function TriggerBoard({ entry }: { readonly entry: TriggerEntry }) {
  const identity = useIdentity()
  const canWrite = canWriteCatalog(identity)
  const { name, description, sender, workspace, profile, paused, hours } = entry
  const { provider, org } = identity.tenant
  const tenant = encodeURIComponent(`${providerName(provider)}:${org}`).replace('%3A', ':')
  const url = `${window.location.origin}/v1/trigger/${tenant}/${name}`
  return (
    <>
      <PageHeader
        title={name}
        description={
          <PausedState
            isPaused={paused}
            text={paused ? 'Requests are recorded but not applied.' : description}
          />
        }
        actions={
          <>
            <DocumentLink kind="trigger" name={name} />
            {canWrite && <PauseButton kind="trigger" name={name} isPaused={paused} />}
          </>
        }
      />
      <Card className="p-4">
        <div className="grid gap-4 md:grid-cols-2">
          <dl className="grid grid-cols-2 content-start gap-3 text-sm">
            <Fact name="Last request">
              <LastRequest entry={entry} />
            </Fact>
            <Fact name="Sender">{sender}</Fact>
            <Fact name="Workspace">{workspace}</Fact>
            <Fact name="Profile">{profile}</Fact>
          </dl>
          <div className="min-w-0">
            <h2 className="mb-1 text-xs text-muted">Requests in the last 24 hours</h2>
            <HourPlot hours={hours} isLarge />
          </div>
        </div>
        <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3 text-sm">
          <span className="text-xs text-muted">Send requests to</span>
          <code className="min-w-0 break-all">{url}</code>
          <CopyButton text={url} />
        </div>
      </Card>
      <TriggerLog name={name} canWrite={canWrite} />
    </>
  )
}
