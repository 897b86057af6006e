import { listSessions as operation } from '@skein/contract'
import { listSessions } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listSessionsRoute = route(operation, ({ engine, caller }) => listSessions(engine, caller))
