import type { SummarizeFleetResponse } from '@skein/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FleetItem } from '../../live/fleet-item.ts'
import { skein } from '../../session/skein.ts'
import { toAccount } from './filters/fleet-filter.ts'
import type { FleetSearch } from './fleet-search.ts'

const HOURS = 24
const REFRESH_MS = 2_000

/** The service's counts, refreshed soon after something on the page has changed. */
export function useFleetSummary(
  search: FleetSearch,
  items: readonly FleetItem[],
): SummarizeFleetResponse | undefined {
  const account = toAccount(search)
  const { workspace } = search
  const { data, refetch } = useQuery({
    queryKey: ['fleet-summary', account, workspace],
    queryFn: ({ signal }) => skein.fleetSummary({ account, workspace, hours: HOURS, signal }),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  const counted = useRef(items)
  const latest = useRef(items)
  useEffect(() => {
    latest.current = items
  }, [items])
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (counted.current === latest.current) return
      counted.current = latest.current
      // Not cancelled: a slow request must finish at some point.
      void refetch({ cancelRefetch: false })
    }, REFRESH_MS)
    return () => window.clearInterval(timer)
  }, [refetch])
  return data
}
