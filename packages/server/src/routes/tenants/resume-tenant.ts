import { resumeTenant as operation } from '@skein/contract'
import { setStanding } from '@skein/engine'
import { route } from '../../http/route.ts'

export const resumeTenantRoute = route(operation, ({ engine, params, body, commandFor }) => {
  const { justification = '' } = body
  return setStanding(engine, commandFor(params.tenantId), { isSuspended: false, justification })
})
