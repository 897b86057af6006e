import { listStartingRepositories as operation } from '@skein/contract'
import { listStartingRepositories, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listStartingRepositoriesRoute = route(operation, async ({ engine, caller, query }) =>
  listStartingRepositories(engine, caller, await resolveTenant(engine, caller, tenantOfQuery(query)), query),
)
