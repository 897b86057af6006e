import type { ScheduleStatus } from '@skein/client'
import { Card } from '../../../ui/card.tsx'
import { Ago } from '../../../ui/time.tsx'
import { formatInZone } from './schedule-times.ts'

/** The next ten. */
export function NextFirings({ schedule }: { readonly schedule: ScheduleStatus }) {
  const { nextFirings, paused, timeZone } = schedule
  return (
    <Card title="Next firings">
      {nextFirings.length === 0 ? (
        <p className="px-4 py-8 text-center text-sm text-muted">
          {paused ? 'None while it is paused.' : 'None: its end is reached.'}
        </p>
      ) : (
        <ol aria-label="Next firings" className="grid gap-x-8 px-4 py-2 text-sm lg:grid-cols-2">
          {nextFirings.map(({ dueTime, startTime }) => (
            <li key={dueTime} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1">
              <time dateTime={dueTime} className="tabular-nums">
                {formatInZone(dueTime, timeZone)}
              </time>
              <span className="text-muted">
                {startTime !== dueTime && 'starts '}
                <Ago time={startTime} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
