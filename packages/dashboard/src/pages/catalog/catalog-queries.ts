import { SkeinApiError, type Resource } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'

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
    queryFn: ({ signal }) => findResource(kind, name, signal),
  })
}

export async function findResource(
  kind: string,
  name: string,
  signal?: AbortSignal,
): Promise<Resource | null> {
  try {
    return await skein.catalog.get(kind, name, { signal })
  } catch (error) {
    if (error instanceof SkeinApiError && error.reason === 'RESOURCE_NOT_FOUND') return null
    throw error
  }
}
