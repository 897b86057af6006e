import { summarizeFleet as operation } from '@skein/contract'
import { summarizeFleet } from '@skein/engine'
import { readFleetFilter } from '../../http/fleet-filter.ts'
import { route } from '../../http/route.ts'

export const summarizeFleetRoute = route(operation, async ({ engine, caller, body }) => {
  const { hours, ...scope } = body
  const { tenant, filter } = await readFleetFilter(engine, caller, scope)
  return summarizeFleet(engine, tenant.tenantId, filter, hours)
})
