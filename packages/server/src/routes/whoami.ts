import { whoami } from '@skein/contract'
import { describeIdentity } from './describe-identity.ts'
import { route } from './route.ts'

export const whoamiRoute = route(whoami, ({ caller }) => describeIdentity(caller))
