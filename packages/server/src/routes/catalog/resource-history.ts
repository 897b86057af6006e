import { resourceHistory as operation } from '@skein/contract'
import { resourceHistory } from '@skein/engine'
import { resourceTarget } from '../../http/resource-target.ts'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const resourceHistoryRoute = route(operation, async (input) => {
  const target = await resourceTarget(input, tenantOfQuery(input.query), 'read')
  const page = await resourceHistory(input.engine, input.caller, target, input.query)
  return { kind: target.kind.kind, name: target.name, ...page }
})
