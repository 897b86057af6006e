import { createTenant as operation } from '@skein/contract'
import { createTenant } from '@skein/engine'
import { route } from '../../http/route.ts'

export const createTenantRoute = route(operation, ({ engine, caller, body, commandFor }) => {
  const { tenant, justification = '' } = body
  return createTenant(engine, commandFor(caller.tenantId), { tenant, justification })
})
