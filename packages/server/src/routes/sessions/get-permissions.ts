import { getPermissions } from '@skein/contract'
import { grantableRoles, mustJustify, permissionsOf } from '@skein/contract/facts'
import { route } from '../../http/route.ts'

export const getPermissionsRoute = route(getPermissions, ({ caller: { role } }) => ({
  permissions: [...permissionsOf(role)],
  grantableRoles: [...grantableRoles(role)],
  mustJustify: mustJustify(role),
}))
