import { listTriggers as operation } from '@skein/contract'
import { listTriggers, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listTriggersRoute = route(operation, async ({ engine, caller, query }) =>
  listTriggers(engine, caller, await resolveTenant(engine, caller, tenantOfQuery(query)), query),
)
