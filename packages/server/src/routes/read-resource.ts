import { readResource as operation } from '@skein/contract'
import { readResource } from '@skein/engine'
import { resourceTarget } from './resource-target.ts'
import { route } from './route.ts'
import { tenantOfQuery } from './tenant-of-query.ts'

export const readResourceRoute = route(operation, async (input) => {
  const { tenantId, kind, name } = await resourceTarget(input, tenantOfQuery(input.query), 'read')
  return readResource(input.engine, tenantId, kind, name)
})
