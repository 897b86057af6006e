import { SkeinApiError, type ScheduleStatus } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Card, PageHeader } from '../../../ui/card.tsx'
import { Fact } from '../../../ui/fact.tsx'
import { AutomationCrumbs } from '../automation-crumbs.tsx'
import { scheduleQuery } from '../automation-queries.ts'
import { DocumentLink } from '../document-link.tsx'
import { LoadState } from '../load-state.tsx'
import { MissingAutomation } from '../missing-automation.tsx'
import { PauseButton } from '../pause-button.tsx'
import { PausedState } from '../paused-state.tsx'
import { FiringLog } from './firing-log.tsx'
import { NextFirings } from './next-firings.tsx'
import { RunButton } from './run-button.tsx'
import { LastFiring, NextTime } from './schedule-list.tsx'
import { describeTiming } from './schedule-times.ts'

/** One schedule: when it fires, and what became of it. */
export function SchedulePage() {
  const { name } = useParams({ from: '/shell/automations/schedules/$name' })
  const query = useQuery(scheduleQuery(name))
  const { data, error } = query
  const isMissing = error instanceof SkeinApiError && error.reason === 'RESOURCE_NOT_FOUND'
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-4 p-4 lg:p-6">
      <AutomationCrumbs tab="schedules" />
      {isMissing ? <MissingAutomation kind="schedule" name={name} /> : <LoadState query={query} />}
      {data !== undefined && !isMissing && <ScheduleBoard key={name} schedule={data} />}
    </div>
  )
}

function ScheduleBoard({ schedule }: { readonly schedule: ScheduleStatus }) {
  const canWrite = canWriteCatalog(useIdentity())
  const { name, description, paused, last } = schedule
  return (
    <>
      <PageHeader
        title={name}
        description={<PausedState isPaused={paused} text={description} />}
        actions={
          <>
            <DocumentLink kind="schedule" name={name} />
            {canWrite && (
              <>
                <RunButton name={name} />
                <PauseButton kind="schedule" name={name} isPaused={paused} />
              </>
            )}
          </>
        }
      />
      <Card className="p-4">
        <dl className="grid gap-3 text-sm sm:grid-cols-3">
          <Fact name="When">
            <code>{describeTiming(schedule)}</code>
          </Fact>
          <Fact name="Next">
            <NextTime entry={schedule} />
          </Fact>
          <Fact name="Last">
            <LastFiring last={last} />
          </Fact>
        </dl>
      </Card>
      <NextFirings schedule={schedule} />
      <FiringLog name={name} timeZone={schedule.timeZone} />
    </>
  )
}
