import { getPermissions } from '@skein/contract'
import { grantableRoles, mustJustify, permissionsOf } from '@skein/contract/facts'
import { permissionsByWorkspace } from '@skein/core'
import { route } from '../../http/route.ts'

export const getPermissionsRoute = route(getPermissions, ({ caller }) => {
  const { role } = caller
  return {
    permissions: [...permissionsOf(role)],
    grantableRoles: [...grantableRoles(role)],
    mustJustify: mustJustify(role),
    workspaces: permissionsByWorkspace(caller),
  }
})
