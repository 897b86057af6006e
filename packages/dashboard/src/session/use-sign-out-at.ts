import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { identityQuery, isSignedOut } from './identity.ts'

/** For anything that isn't a query, such as a watch: otherwise the end of the session would go unnoticed. */
export function useSignOutAt(error: unknown): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (isSignedOut(error)) queries.setQueryData(identityQuery.queryKey, null)
  }, [error, queries])
}
