import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { identityQuery, isSignedOut } from './identity.ts'

/** For what is not a query, such as a watch: nobody else notices there that the session has ended. */
export function useSignOutAt(error: unknown): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (isSignedOut(error)) queries.setQueryData(identityQuery.queryKey, null)
  }, [error, queries])
}
