import { useEffect } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../live/timeline-store.ts'
import { firstSequenceOf } from '../live/timeline-events.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

/** Loaded without asking. */
const FREELY = 5_000

/** For views that need the whole timeline: loads back to its beginning and shows progress. */
export function WholeTimeline({
  timeline,
  store,
}: {
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
}) {
  const { events, hasEarlier, isLoadingEarlier, connection } = timeline
  const isFree = events.length < FREELY
  // Retried only when the connection comes back: otherwise a refused request would be repeated forever.
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
