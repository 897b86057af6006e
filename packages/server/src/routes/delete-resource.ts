import { deleteResource as operation, parseInt64 } from '@skein/contract'
import { requireKind, resourceNotFound } from '@skein/core'
import { deleteResource, resolveTenant } from '@skein/engine'
import { route } from './route.ts'
import { tenantOfQuery } from './tenant-of-query.ts'

export const deleteResourceRoute = route(operation, async ({ engine, caller, params, query, commandFor }) => {
  const kind = requireKind(params['ref.kind'])
  const name = params['ref.name']
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query), () =>
    resourceNotFound(kind.kind, name),
  )
  return deleteResource(engine, commandFor(tenantId), {
    kind,
    name,
    justification: query.justification ?? '',
    ifGenerationMatch:
      query.ifGenerationMatch === undefined ? undefined : parseInt64(query.ifGenerationMatch),
  })
})
