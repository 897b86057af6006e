import { listInvitations as operation } from '@skein/contract'
import { listInvitations } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listInvitationsRoute = route(operation, ({ engine, caller, query }) =>
  listInvitations(engine, caller.tenantId, query),
)
