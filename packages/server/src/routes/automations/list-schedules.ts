import { listSchedules as operation } from '@skein/contract'
import { listSchedules, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listSchedulesRoute = route(operation, async ({ engine, caller, query }) =>
  listSchedules(engine, caller, await resolveTenant(engine, caller, tenantOfQuery(query)), query),
)
