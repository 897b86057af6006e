import type { TriggerEntry } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/time.tsx'
import { AutomationList } from '../automation-list.tsx'
import type { AutomationColumn } from '../automation-table.tsx'
import { triggersQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { FIRST_TRIGGER } from '../first-documents.ts'
import { HourPlot } from '../hour-plot.tsx'
import { outcomeMark, pausedMark } from '../marks.ts'
import { PauseButton } from '../pause-button.tsx'

const COLUMNS: readonly AutomationColumn<TriggerEntry>[] = [
  { title: 'State', render: ({ paused }) => <Badge mark={pausedMark(paused)} /> },
  { title: 'Sender', render: ({ sender }) => sender },
  {
    title: 'Last request',
    cellClassName: 'whitespace-nowrap',
    render: (entry) => <LastRequest entry={entry} />,
  },
  { title: 'Last 24 h', cellClassName: 'max-md:w-full', render: ({ hours }) => <HourPlot hours={hours} /> },
]

export function TriggerList() {
  return (
    <AutomationList
      tab="triggers"
      label="Triggers"
      first={FIRST_TRIGGER}
      columns={COLUMNS}
      query={useQuery(triggersQuery)}
      detailOf={({ description }) => description}
      renderActions={({ name, paused }) => (
        <PauseButton kind="trigger" name={name} isPaused={paused} size="small" />
      )}
    />
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
