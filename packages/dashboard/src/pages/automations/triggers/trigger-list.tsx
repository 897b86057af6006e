import type { TriggerEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { STACKED_ROW } from '../../../ui/stacked-table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AutomationList } from '../automation-list.tsx'
import { triggersQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FIRST_TRIGGER } from '../first-documents.ts'
import { HourPlot } from '../hour-plot.tsx'
import { outcomeMark, pausedMark } from '../marks.ts'
import { NameCell } from '../name-cell.tsx'
import { PauseButton } from '../pause-button.tsx'

const COLUMNS = ['Name', 'State', 'Sender', 'Last request', 'Last 24 h'].map((title) => ({ title }))

export function TriggerList() {
  return (
    <AutomationList
      label="Triggers"
      first={FIRST_TRIGGER}
      columns={COLUMNS}
      query={useQuery(triggersQuery)}
      renderRow={(entry, canWrite) => <TriggerRow key={entry.name} entry={entry} canWrite={canWrite} />}
    />
  )
}

function TriggerRow({ entry, canWrite }: { readonly entry: TriggerEntry; readonly canWrite: boolean }) {
  const { name, description, sender, paused, hours } = entry
  return (
    <tr className={STACKED_ROW}>
      <NameCell tab="triggers" name={name} detail={description} />
      <td className="px-4 py-2.5">
        <Badge mark={pausedMark(paused)} />
      </td>
      <td className="px-4 py-2.5">{sender}</td>
      <td className="px-4 py-2.5 whitespace-nowrap">
        <LastRequest entry={entry} />
      </td>
      <td className="px-4 py-2.5 max-md:w-full">
        <HourPlot hours={hours} />
      </td>
      {canWrite && (
        <td className="px-4 py-2.5 text-right max-md:ml-auto">
          <PauseButton kind="trigger" name={name} isPaused={paused} size="small" />
        </td>
      )}
    </tr>
  )
}

export function LastRequest({ entry: { last, pending } }: { readonly entry: TriggerEntry }) {
  const [newest] = last
  if (newest === undefined) return <span className="text-muted">none in seven days</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Ago time={newest.time} />
      <Badge mark={outcomeMark(newest.outcome)} />
      {pending > 1 && <span className="text-muted">{pending.toLocaleString('en')} pending</span>}
    </span>
  )
}
