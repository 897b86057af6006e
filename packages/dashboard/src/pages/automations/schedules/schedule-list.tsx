import type { ScheduleEntry } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { LoadingPage } from '../../../layout/page-states.tsx'
import { Card } from '../../../ui/card.tsx'
import { PagesEnd } from '../../../ui/pages-end.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AutomationTable, type AutomationColumn } from '../automation-table.tsx'
import { schedulesQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FirstAutomation } from '../first-automation.tsx'
import { FIRST_SCHEDULE } from '../first-documents.ts'
import { firingMark, pausedMark } from '../marks.ts'
import { PauseButton } from '../pause-button.tsx'
import { RunButton } from './run-button.tsx'
import { describeTiming } from './schedule-times.ts'

const COLUMNS: readonly AutomationColumn<ScheduleEntry>[] = [
  { title: 'State', render: ({ paused }) => <Badge mark={pausedMark(paused)} /> },
  { title: 'When', render: (entry) => <code className="break-words">{describeTiming(entry)}</code> },
  {
    title: 'Next',
    cellClassName: 'whitespace-nowrap',
    render: (entry) => (
      <>
        <span className="text-muted md:hidden">next </span>
        <NextTime entry={entry} />
      </>
    ),
  },
  { title: 'Last', cellClassName: 'whitespace-nowrap', render: ({ last }) => <LastFiring last={last} /> },
]

export function ScheduleList() {
  const pages = useInfiniteQuery(schedulesQuery)
  const schedules = pages.data?.pages.flatMap((page) => page.schedules) ?? []
  return (
    <Card>
      {pages.isPending && <LoadingPage />}
      {pages.isSuccess && schedules.length === 0 && <FirstAutomation first={FIRST_SCHEDULE} />}
      {schedules.length > 0 && (
        <AutomationTable
          tab="schedules"
          label="Schedules"
          columns={COLUMNS}
          entries={schedules}
          detailOf={({ description }) => description}
          renderActions={({ name, paused }) => (
            <>
              <RunButton name={name} size="small" />
              <PauseButton kind="schedule" name={name} isPaused={paused} size="small" />
            </>
          )}
        />
      )}
      {(pages.hasNextPage || pages.isError) && (
        <div className="flex flex-col border-t border-line p-3">
          <PagesEnd pages={pages} moreLabel="Show more schedules" />
        </div>
      )}
    </Card>
  )
}

export function NextTime({ entry: { paused, nextTime } }: { readonly entry: ScheduleEntry }) {
  if (nextTime !== '') return <Ago time={nextTime} />
  return <span className="text-muted">{paused ? 'not while paused' : 'never'}</span>
}

export function LastFiring({ last: [newest] }: Pick<ScheduleEntry, 'last'>) {
  if (newest === undefined) return <span className="text-muted">none in 30 days</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Ago time={newest.dueTime} />
      <Badge mark={firingMark(newest.outcome)} />
    </span>
  )
}
