import type { FollowUp } from '@skein/client'
import { CalendarClock, Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Ago } from '../ui/time.tsx'

/** Pending messages, in order of delivery. */
export function QueueList({
  followUps,
  isBrief = false,
  renderActions,
}: {
  readonly followUps: readonly FollowUp[]
  readonly isBrief?: boolean
  readonly renderActions?: ((followUp: FollowUp) => ReactNode) | undefined
}) {
  return (
    <ol className="divide-y divide-line">
      {orderQueue(followUps).map((followUp) => (
        <li key={followUp.followUpId} className="flex min-w-0 items-start gap-3 px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
              {followUp.state === 'DEFERRED' ? (
                <>
                  <CalendarClock size={13} aria-hidden />
                  <span>
                    Deferred, due <Ago time={followUp.deliverAt} />
                    {!isBrief && ` (${new Date(followUp.deliverAt).toLocaleString()})`}
                  </span>
                </>
              ) : (
                <>
                  <Hourglass size={13} aria-hidden />
                  <span>
                    Queued <Ago time={followUp.createTime} />
                  </span>
                </>
              )}
            </p>
            <p
              className={classNames(
                'text-sm break-words whitespace-pre-wrap',
                isBrief ? 'line-clamp-2' : 'line-clamp-6',
              )}
            >
              {followUp.description}
            </p>
            {!isBrief && <p className="text-xs break-all text-muted">{followUp.followUpId}</p>}
          </div>
          {renderActions?.(followUp)}
        </li>
      ))}
    </ol>
  )
}

/** Queued ones are next; deferred ones follow by their time. */
function orderQueue(followUps: readonly FollowUp[]): readonly FollowUp[] {
  const queued = followUps.filter(({ state }) => state === 'QUEUED')
  const deferred = followUps
    .filter(({ state }) => state === 'DEFERRED')
    .toSorted((one, other) => Date.parse(one.deliverAt) - Date.parse(other.deliverAt))
  return [...queued, ...deferred]
}
