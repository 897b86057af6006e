import { SkeinApiError, type Identity, type Permissions } from '@skein/client'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { skein } from './skein.ts'

/** The signed-in user, with what the service allows them. */
export interface SignedIn extends Identity, Permissions {}

/** Null if nobody is signed in. */
export const identityQuery = queryOptions({
  queryKey: ['identity'],
  queryFn: async ({ signal }): Promise<SignedIn | null> => {
    try {
      const [identity, permissions] = await Promise.all([
        skein.whoami({ signal }),
        skein.permissions({ signal }),
      ])
      return { ...identity, ...permissions }
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
export function useIdentity(): SignedIn {
  const { data } = useSuspenseQuery(identityQuery)
  if (data === null) throw new Error('Sign in first.')
  return data
}

export function canWriteCatalog({ permissions }: Permissions): boolean {
  return permissions.includes('catalog.write')
}

export function canReadAudit({ permissions }: Permissions): boolean {
  return permissions.includes('audit.read')
}
