import type { Firing } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/time.tsx'
import { AgentOfProfile } from '../agent-of-profile.tsx'
import { firingsQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { LogCard } from '../log-card.tsx'
import { firingMark } from '../marks.ts'
import { FiringStrip } from './firing-strip.tsx'
import { formatInZone } from './schedule-times.ts'

/** What became of the firings. */
export function FiringLog({ name, timeZone }: { readonly name: string; readonly timeZone: string }) {
  const log = useInfiniteQuery(firingsQuery(name))
  const firings = log.data?.pages.flatMap((page) => page.firings) ?? []
  return (
    <LogCard
      title="Firings of the last 30 days"
      actions={firings.length > 0 && <FiringStrip firings={firings} />}
      pages={log}
      moreLabel="Show older firings"
      empty="It has not fired in the last 30 days."
      entries={firings.map((firing) => (
        <FiringEntry key={firing.dueTime} firing={firing} timeZone={timeZone} />
      ))}
    />
  )
}

function FiringEntry({ firing, timeZone }: { readonly firing: Firing; readonly timeZone: string }) {
  const { dueTime, outcome, isManual, detail, attempts } = firing
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <Badge mark={firingMark(outcome)} />
      <time dateTime={dueTime} className="tabular-nums">
        {formatInZone(dueTime, timeZone)}
      </time>
      {isManual && <span className="text-muted">by hand</span>}
      {attempts > 0 && <span className="text-muted">{attempts} failed tries</span>}
      <AgentOfProfile {...firing} />
      <span className="ml-auto text-muted max-sm:ml-0">
        <Ago time={dueTime} />
      </span>
      {detail !== '' && <span className="w-full break-words text-muted">{detail}</span>}
    </li>
  )
}
