import type { Identity, Permission } from '@skein/client'

/** Whether the service would allow it, for what is only shown to those who can use it. For one agent: canDriveAgent. */
export function may({ permissions }: Pick<Identity, 'permissions'>, permission: Permission): boolean {
  return permissions.includes(permission)
}
