import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { TimelineStore, type TimelineSnapshot, type TimelineSource } from './timeline-store.ts'

/** Follows an agent while the page is shown. The source must stay the same object for the same agent. */
export function useTimeline(source: TimelineSource): {
  readonly store: TimelineStore
  readonly timeline: TimelineSnapshot
} {
  const store = useMemo(() => new TimelineStore(source), [source])
  useEffect(() => {
    const lose = (): void => store.loseConnection()
    const resume = (): void => store.start()
    window.addEventListener('offline', lose)
    window.addEventListener('online', resume)
    store.start()
    return () => {
      window.removeEventListener('offline', lose)
      window.removeEventListener('online', resume)
      store.stop()
    }
  }, [store])
  return { store, timeline: useSyncExternalStore(store.subscribe, store.getSnapshot) }
}
