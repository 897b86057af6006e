import { resourceHistory as operation } from '@skein/contract'
import { resourceHistory } from '@skein/engine'
import { resourceTarget } from '../../http/resource-target.ts'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const resourceHistoryRoute = route(operation, async (input) => {
  const { tenantId, kind, name } = await resourceTarget(input, tenantOfQuery(input.query), 'read')
  const page = await resourceHistory(input.engine, tenantId, kind, name, input.query)
  return { kind: kind.kind, name, ...page }
})
