import { SkeinApiError, type RequestOptions, type Resource } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { skein } from '../session/skein.ts'

const READ_BACK_MS = 5_000

export const kindsQuery = queryOptions({
  queryKey: ['kinds'],
  queryFn: ({ signal }) => skein.catalog.kinds({ signal }),
  // Kinds change only with the service's version.
  staleTime: Infinity,
})

/** All resources of a kind, sorted by name. */
export function resourcesQuery(kind: string) {
  return queryOptions({
    queryKey: ['resources', kind],
    queryFn: async ({ signal }) => {
      const resources: Resource[] = []
      for await (const resource of skein.catalog.list(kind, { signal })) resources.push(resource)
      return resources
    },
  })
}

/** Null if it doesn't exist. */
export function resourceQuery(kind: string, name: string) {
  return queryOptions({
    queryKey: ['resource', kind, name],
    queryFn: ({ signal }) => findResource(kind, name, { signal }),
  })
}

export async function findResource(
  kind: string,
  name: string,
  options: RequestOptions = {},
): Promise<Resource | null> {
  try {
    return await skein.catalog.get(kind, name, options)
  } catch (error) {
    if (error instanceof SkeinApiError && error.reason === 'RESOURCE_NOT_FOUND') return null
    throw error
  }
}

/**
 * The resource after a write; undefined if it could not be read. The write is done either way and may have returned
 * a secret, so this doesn't retry.
 */
export async function readBack(kind: string, name: string): Promise<Resource | null | undefined> {
  try {
    return await findResource(kind, name, { retries: 0, timeoutMs: READ_BACK_MS })
  } catch {
    return undefined
  }
}
