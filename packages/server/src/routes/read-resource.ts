import { readResource as operation } from '@skein/contract'
import { requireKind, resourceNotFound } from '@skein/core'
import { readResource, resolveTenant } from '@skein/engine'
import { route } from './route.ts'
import { tenantOfQuery } from './tenant-of-query.ts'

export const readResourceRoute = route(operation, async ({ engine, caller, params, query }) => {
  const kind = requireKind(params['ref.kind'])
  const name = params['ref.name']
  const tenantId = await resolveTenant(
    engine,
    caller,
    tenantOfQuery(query),
    () => resourceNotFound(kind.kind, name),
    { kind: kind.kind, name },
  )
  return readResource(engine, tenantId, kind, name)
})
