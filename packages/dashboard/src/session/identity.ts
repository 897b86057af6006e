import { SkeinApiError, type Identity } from '@skein/client'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { skein } from './skein.ts'

/** Who is signed in; null for nobody. */
export const identityQuery = queryOptions({
  queryKey: ['identity'],
  queryFn: async ({ signal }): Promise<Identity | null> => {
    try {
      return await skein.whoami({ signal })
    } catch (error) {
      if (isSignedOut(error)) return null
      throw error
    }
  },
  staleTime: 60_000,
})

export function isSignedOut(error: unknown): boolean {
  return error instanceof SkeinApiError && error.code === 'UNAUTHENTICATED'
}

/** On pages behind the sign-in, which are only shown to somebody. */
export function useIdentity(): Identity {
  const { data } = useSuspenseQuery(identityQuery)
  if (data === null) throw new Error('Sign in first.')
  return data
}

/** Viewers look; everyone else may spawn agents, and admins may write the catalog. For one agent: canDriveAgent. */
export function canDrive({ role }: Identity): boolean {
  return role === 'member' || role === 'admin' || role === 'operator'
}

export function canWriteCatalog({ role }: Identity): boolean {
  return role === 'admin' || role === 'operator'
}
