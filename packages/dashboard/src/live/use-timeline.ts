import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { TimelineStore, type TimelineSnapshot, type TimelineSource } from './timeline-store.ts'
import { keepWhileVisible } from './while-visible.ts'

/** Follows an agent while the page is visible. The source must be the same object for the same agent. */
export function useTimeline(source: TimelineSource): {
  readonly store: TimelineStore
  readonly timeline: TimelineSnapshot
} {
  const store = useMemo(() => new TimelineStore(source), [source])
  useEffect(() => {
    store.start()
    const leave = keepWhileVisible(store)
    return () => {
      leave()
      store.stop()
    }
  }, [store])
  return { store, timeline: useSyncExternalStore(store.subscribe, store.getSnapshot) }
}
