import { formatTimestamp, whoami } from '@skein/contract'
import { route } from './route.ts'

export const whoamiRoute = route(whoami, ({ caller }) => ({
  tenant: caller.tenant,
  ownerProvider: caller.ownerProvider,
  account: caller.account,
  role: caller.role,
  token: caller.token,
  expireTime: caller.expiresAt === undefined ? '' : formatTimestamp(caller.expiresAt),
}))
