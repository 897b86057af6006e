import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../layout/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { readAutomationTab } from './automations-search.ts'
import { StartingRepositoryList } from './code-hosts/starting-repository-list.tsx'
import { ScheduleList } from './schedules/schedule-list.tsx'
import { TriggerList } from './triggers/trigger-list.tsx'
import { IntegrationList } from './integrations/integration-list.tsx'

/** What goes out of Skein, and what starts agents without a person. */
export function AutomationsPage() {
  const { tab = 'integrations' } = useSearch({ from: '/shell/automations' })
  const navigate = useNavigate({ from: '/automations' })
  return (
    <Page
      title="Automations"
      description="Integrations notify other systems and people. Triggers, schedules and issues start agents."
    >
      <Tabs
        label="Kinds of automations"
        selected={tab}
        onSelect={(id) => {
          const next = readAutomationTab(id)
          void navigate({ search: next === undefined || next === 'integrations' ? {} : { tab: next } })
        }}
        tabs={[
          { id: 'integrations', label: 'Integrations', content: <IntegrationList /> },
          { id: 'triggers', label: 'Triggers', content: <TriggerList /> },
          { id: 'schedules', label: 'Schedules', content: <ScheduleList /> },
          { id: 'code-hosts', label: 'Code hosts', content: <StartingRepositoryList /> },
        ]}
      />
    </Page>
  )
}
