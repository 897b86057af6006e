import { readInvitation as operation } from '@skein/contract'
import { readInvitation } from '@skein/engine'
import { route } from '../../http/route.ts'

export const readInvitationRoute = route(operation, ({ engine, body, address }) =>
  readInvitation(engine, { code: body.code, address }),
)
