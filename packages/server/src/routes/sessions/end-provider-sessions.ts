import { endProviderSessions as operation } from '@skein/contract'
import { endProviderSessions } from '@skein/engine'
import { anyBodyRoute } from '../../http/any-body-route.ts'

/** A form, which no other operation takes. */
export const endProviderSessionsRoute = anyBodyRoute(operation, '/v1/session/logout', endProviderSessions)
