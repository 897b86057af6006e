import { SkeinApiError, type Catalog, type Resource } from '@skein/client'

export interface Pruned {
  readonly resource: Resource
  readonly action: 'delete' | 'keep' | 'conflict' | 'error'
  /** Why it was kept. */
  readonly message: string
  readonly error?: SkeinApiError
}

/**
 * Deletes each resource at the generation it was read. Those still referenced are retried while deletes make
 * progress.
 */
export async function pruneResources(
  catalog: Catalog,
  doomed: readonly Resource[],
  justification: string,
): Promise<Pruned[]> {
  const results: Pruned[] = []
  let left = doomed
  for (;;) {
    const referred: Pruned[] = []
    for (const resource of left) {
      const result = await deleteResource(catalog, resource, justification)
      if (result.action === 'keep') referred.push(result)
      else results.push(result)
    }
    if (referred.length === 0 || referred.length === left.length) return [...results, ...referred]
    left = referred.map(({ resource }) => resource)
  }
}

async function deleteResource(catalog: Catalog, resource: Resource, justification: string): Promise<Pruned> {
  const { kind, name, generation } = resource
  try {
    await catalog.delete(kind, name, { ifGeneration: generation, justification })
    return { resource, action: 'delete', message: '' }
  } catch (error) {
    if (!(error instanceof SkeinApiError)) throw error
    if (error.reason === 'RESOURCE_NOT_FOUND') return { resource, action: 'delete', message: '' }
    if (error.reason === 'GENERATION_MISMATCH') {
      const message = 'someone else changed it, so it was not deleted'
      return { resource, action: 'conflict', message, error }
    }
    const action = error.reason === 'RESOURCE_REFERENCED' ? 'keep' : 'error'
    return { resource, action, message: error.message, error }
  }
}
