import { listIntegrations as operation } from '@skein/contract'
import { listIntegrations, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'

export const listIntegrationsRoute = route(operation, async ({ engine, caller, query }) =>
  listIntegrations(engine, caller, await resolveTenant(engine, caller, tenantOfQuery(query))),
)
