import { useEffect } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../live/timeline-store.ts'
import { firstSequenceOf } from '../live/timeline-events.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

/** As much as is read without being asked. */
const FREELY = 5_000

/** For what only the whole timeline tells: reads back to its beginning, and says so while it is not there. */
export function WholeTimeline({
  timeline,
  store,
}: {
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
}) {
  const { events, hasEarlier, isLoadingEarlier, connection } = timeline
  const isFree = events.length < FREELY
  // Again only when the connection comes back: what the service refuses would be asked for without end.
  const canLoad = hasEarlier && isFree && connection === 'open'
  useEffect(() => {
    if (canLoad) void store.loadEarlier(1).catch(() => undefined)
  }, [canLoad, store])
  if (!hasEarlier) return null
  return (
    <Notice className="flex flex-wrap items-center justify-between gap-2">
      Showing events from {firstSequenceOf(events)} on.
      <Button
        size="small"
        isBusy={isLoadingEarlier}
        onClick={() => void store.loadEarlier(1).catch(() => undefined)}
      >
        {isLoadingEarlier ? 'Loading…' : 'Load everything'}
      </Button>
    </Notice>
  )
}
