import { SkeinApiError, type Identity } from '@skein/client'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { skein } from './skein.ts'

/** The signed-in user; null if nobody is. */
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

/** For pages that require sign-in. */
export function useIdentity(): Identity {
  const { data } = useSuspenseQuery(identityQuery)
  if (data === null) throw new Error('Sign in first.')
  return data
}

/**
 * Viewers can only look, everyone else can spawn agents, and admins can write the catalog. For one agent:
 * canDriveAgent.
 */
export function canDrive({ role }: Identity): boolean {
  return role === 'member' || role === 'admin' || role === 'operator'
}

export function canWriteCatalog({ role }: Identity): boolean {
  return role === 'admin' || role === 'operator'
}
