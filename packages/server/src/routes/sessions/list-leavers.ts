import { listLeavers as operation } from '@skein/contract'
import { listLeavers, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listLeaversRoute = route(operation, async ({ engine, caller, query }) =>
  listLeavers(engine, await resolveTenant(engine, caller, tenantOfQuery(query)), query),
)
