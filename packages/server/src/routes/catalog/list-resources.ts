import { listResources as operation } from '@skein/contract'
import { requireReadableKind } from '@skein/core'
import { listResources, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listResourcesRoute = route(operation, async ({ engine, caller, params, query }) => {
  const kind = requireReadableKind(params['ref.kind'])
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query), undefined, {
    kind: kind.kind,
    name: '',
  })
  const page = await listResources(engine, caller, { tenantId, kind }, query)
  return { kind: kind.kind, inputFormat: kind.inputFormat, ...page }
})
