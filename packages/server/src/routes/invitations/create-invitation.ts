import { createInvitation as operation } from '@skein/contract'
import { createInvitation } from '@skein/engine'
import { route } from '../../http/route.ts'

export const createInvitationRoute = route(operation, ({ engine, caller, body, commandFor }) =>
  createInvitation(engine, commandFor(caller.tenantId), body),
)
