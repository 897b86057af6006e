import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { readFleetSearch, type FleetSearch } from '../fleet-search.ts'

type Change = (search: FleetSearch) => FleetSearch

/** Changes the filter in the URL. Typing replaces the history entry; a choice adds one. */
export function useChangeSearch(): (change: Change, options?: { readonly isTyping: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (change, { isTyping } = { isTyping: false }) =>
      void navigate({
        to: '/',
        search: (search) => readFleetSearch({ ...change(readFleetSearch(search)) }),
        replace: isTyping,
        resetScroll: false,
      }),
    [navigate],
  )
}
