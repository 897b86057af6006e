import { deleteTenant as operation } from '@skein/contract'
import { startDeletion } from '@skein/engine'
import { route } from '../../http/route.ts'

export const deleteTenantRoute = route(operation, ({ engine, caller, params, query, commandFor }) => {
  const { confirm, abandon, justification = '' } = query
  const abandonsLeftovers = abandon === 'true'
  return startDeletion(engine, commandFor(caller.tenantId), {
    tenantId: params.tenantId,
    confirm,
    abandonsLeftovers,
    justification,
  })
})
