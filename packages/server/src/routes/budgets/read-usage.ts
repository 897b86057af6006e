import { readUsage as operation } from '@skein/contract'
import { readUsage, resolveTenant } from '@skein/engine'
import { route } from '../../http/route.ts'

export const readUsageRoute = route(operation, async ({ engine, caller, body }) => {
  const { tenant, ...asked } = body
  return readUsage(engine, caller, await resolveTenant(engine, caller, tenant), asked)
})
