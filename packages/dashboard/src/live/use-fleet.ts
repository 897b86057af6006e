import type { FleetFilter } from '@skein/client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { skein } from '../session/skein.ts'
import { useSignOutAt } from '../session/use-sign-out-at.ts'
import { FleetStore, type FleetSnapshot } from './fleet-store.ts'
import { keepWhileVisible } from './while-visible.ts'

/** The matching agents, live. Filters with the same content share one fleet. */
export function useFleet(
  filter: FleetFilter,
  maxAgents?: number,
): FleetSnapshot & { readonly retry: () => void } {
  const text = JSON.stringify(filter)
  const store = useMemo(
    () => new FleetStore(skein, filter, maxAgents === undefined ? {} : { maxAgents }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the text is the filter
    [text, maxAgents],
  )
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot)
  useEffect(() => keepWhileVisible(store), [store])
  useSignOutAt(snapshot.error)
  return useMemo(() => ({ ...snapshot, retry: store.retry }), [snapshot, store])
}
