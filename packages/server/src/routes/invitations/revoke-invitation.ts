import { revokeInvitation as operation } from '@skein/contract'
import { revokeInvitation } from '@skein/engine'
import { route } from '../../http/route.ts'

export const revokeInvitationRoute = route(operation, ({ engine, caller, params, commandFor }) =>
  revokeInvitation(engine, commandFor(caller.tenantId), params.invitationId),
)
