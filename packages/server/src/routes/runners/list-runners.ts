import { listRunners as operation } from '@skein/contract'
import { listRunners, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listRunnersRoute = route(operation, async ({ engine, caller, query }) => {
  const tenantId = await resolveTenant(engine, caller, tenantOfQuery(query))
  return listRunners(engine, caller, tenantId)
})
