import { readResource as operation } from '@skein/contract'
import { readResource } from '@skein/engine'
import { resourceTarget } from '../../http/resource-target.ts'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const readResourceRoute = route(operation, async (input) => {
  const target = await resourceTarget(input, tenantOfQuery(input.query), 'read')
  return readResource(input.engine, input.caller, target)
})
