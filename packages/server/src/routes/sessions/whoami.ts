import { whoami } from '@skein/contract'
import { describeIdentity } from '../../http/describe-identity.ts'
import { route } from '../../http/route.ts'

export const whoamiRoute = route(whoami, ({ caller }) => describeIdentity(caller))
