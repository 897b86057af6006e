import { listFleet as operation } from '@skein/contract'
import { listFleet } from '@skein/engine'
import { readFleetFilter } from '../../http/fleet-filter.ts'
import { route } from '../../http/route.ts'

export const listFleetRoute = route(operation, async ({ engine, caller, body, position }) => {
  const { tenant, filter } = await readFleetFilter(engine, caller, body)
  return listFleet(engine, tenant, filter, body, position)
})
