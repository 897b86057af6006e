import { suspendTenant as operation } from '@skein/contract'
import { setStanding } from '@skein/engine'
import { route } from '../../http/route.ts'

export const suspendTenantRoute = route(operation, ({ engine, params, body, commandFor }) => {
  const { justification = '' } = body
  return setStanding(engine, commandFor(params.tenantId), { isSuspended: true, justification })
})
