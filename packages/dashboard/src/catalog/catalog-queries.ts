import { SkeinApiError, type RequestOptions, type Resource } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { skein } from '../session/skein.ts'

const READ_BACK_MS = 5_000

export const kindsQuery = queryOptions({
  queryKey: ['kinds'],
  queryFn: ({ signal }) => skein.catalog.kinds({ signal }),
  // They change with the service's version only.
  staleTime: Infinity,
})

/** All resources of a kind, by name. */
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

/** Null where there is none of that name. */
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
 * What there is after a write; undefined where it could not be read. The write is done either way, and may have
 * answered with a secret: nobody waits for a second try.
 */
export async function readBack(kind: string, name: string): Promise<Resource | null | undefined> {
  try {
    return await findResource(kind, name, { retries: 0, timeoutMs: READ_BACK_MS })
  } catch {
    return undefined
  }
}
