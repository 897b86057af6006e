import type { Resource } from '@skein/client'
import { Ago } from '../../ui/time.tsx'
import { readAuthorship } from './editor/held-text.ts'

/** Facts about a resource besides its document. */
export function ResourceFacts({
  kind,
  resource,
}: {
  readonly kind: string
  readonly resource: Resource | null
}) {
  if (resource === null) return <>A new {kind}: nothing is stored under this name yet.</>
  if (resource.isBuiltIn) return <>A built-in {kind}.</>
  const { updatedBy, updateTime } = readAuthorship(resource)
  return (
    <>
      {kind} · generation {resource.generation} · saved by {updatedBy}, <Ago time={updateTime} />
    </>
  )
}
