import { resourceHistory as operation } from '@skein/contract'
import { requireKind, resourceNotFound } from '@skein/core'
import { resolveTenant, resourceHistory } from '@skein/engine'
import { route } from './route.ts'
import { tenantOfQuery } from './tenant-of-query.ts'

export const resourceHistoryRoute = route(operation, async ({ engine, caller, params, query }) => {
  const kind = requireKind(params['ref.kind'])
  const name = params['ref.name']
  const tenantId = await resolveTenant(
    engine,
    caller,
    tenantOfQuery(query),
    () => resourceNotFound(kind.kind, name),
    { kind: kind.kind, name },
  )
  const page = await resourceHistory(engine, tenantId, kind, name, query)
  return { kind: kind.kind, name, ...page }
})
