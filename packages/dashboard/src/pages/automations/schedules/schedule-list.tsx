import type { ScheduleEntry } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { LoadingPage } from '../../../layout/page-states.tsx'
import { canWriteCatalog, useIdentity } from '../../../session/identity.ts'
import { Card } from '../../../ui/card.tsx'
import { PagesEnd } from '../../../ui/pages-end.tsx'
import { ACTIONS, STACKED_ROW, StackedTable } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { schedulesQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FirstAutomation } from '../first-automation.tsx'
import { FIRST_SCHEDULE } from '../first-documents.ts'
import { firingMark, pausedMark } from '../marks.ts'
import { NameCell } from '../name-cell.tsx'
import { PauseButton } from '../pause-button.tsx'
import { RunButton } from './run-button.tsx'
import { describeTiming } from './schedule-times.ts'

const COLUMNS = ['Name', 'State', 'When', 'Next', 'Last'].map((title) => ({ title }))

export function ScheduleList() {
  const canWrite = canWriteCatalog(useIdentity())
  const pages = useInfiniteQuery(schedulesQuery)
  const schedules = pages.data?.pages.flatMap((page) => page.schedules) ?? []
  return (
    <Card>
      {pages.isPending && <LoadingPage />}
      {pages.isSuccess && schedules.length === 0 && <FirstAutomation first={FIRST_SCHEDULE} />}
      {schedules.length > 0 && (
        <StackedTable label="Schedules" columns={canWrite ? [...COLUMNS, ACTIONS] : COLUMNS}>
          {schedules.map((entry) => (
            <ScheduleRow key={entry.name} entry={entry} canWrite={canWrite} />
          ))}
        </StackedTable>
      )}
      {(pages.hasNextPage || pages.isError) && (
        <div className="flex flex-col border-t border-line p-3">
          <PagesEnd pages={pages} moreLabel="Show more schedules" />
        </div>
      )}
    </Card>
  )
}

function ScheduleRow({ entry, canWrite }: { readonly entry: ScheduleEntry; readonly canWrite: boolean }) {
  const { name, description, paused, last } = entry
  return (
    <tr className={STACKED_ROW}>
      <NameCell tab="schedules" name={name} detail={description} />
      <td className="px-4 py-2.5">
        <Badge mark={pausedMark(paused)} />
      </td>
      <td className="px-4 py-2.5">
        <code className="break-words">{describeTiming(entry)}</code>
      </td>
      <td className="px-4 py-2.5 whitespace-nowrap">
        <span className="text-muted md:hidden">next </span>
        <NextTime entry={entry} />
      </td>
      <td className="px-4 py-2.5 whitespace-nowrap">
        <LastFiring last={last} />
      </td>
      {canWrite && (
        <td className="px-4 py-2.5 text-right max-md:ml-auto">
          <div className="flex justify-end gap-2">
            <RunButton name={name} size="small" />
            <PauseButton kind="schedule" name={name} isPaused={paused} size="small" />
          </div>
        </td>
      )}
    </tr>
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
