import { permissionsInTeam, type Permission } from '@skein/contract/facts'
import type { Caller } from './caller.ts'
import { isAllowed } from './policy.ts'

export type Viewer = Pick<Caller, 'role' | 'teams'>

/** `hide` is answered as if the thing did not exist. */
export type Access = 'allow' | 'deny' | 'hide'

/** The policy of teams: what a caller may do with something of this team. Empty means that it is everyone's. */
export function accessTo({ role, teams }: Viewer, team: string, permission: Permission): Access {
  if (!teams || team === '') return isAllowed(role, permission) ? 'allow' : 'deny'
  const roleThere = teams.roles.get(team)
  if (roleThere === undefined) return 'hide'
  return permissionsInTeam(role, roleThere).includes(permission) ? 'allow' : 'deny'
}

/** Empty for a workspace of everyone, for an unknown one, and for callers whom teams don't concern. */
export function teamOfWorkspace({ teams }: Viewer, workspace: string): string {
  return teams?.teamOf.get(workspace) ?? ''
}

export function seesWorkspace(viewer: Viewer, workspace: string): boolean {
  return seesTeam(viewer, teamOfWorkspace(viewer, workspace))
}

export function seesTeam({ teams }: Viewer, team: string): boolean {
  return !teams || team === '' || teams.roles.has(team)
}

/** No workspace has this name, so whatever is looked up in it is missing. */
const NOWHERE = ''

/**
 * Where to look for what a caller says is in a workspace. A hidden workspace is looked up like a missing one, so that
 * both take the same path, and the same time.
 */
export function whereToLook(viewer: Viewer, workspace: string): string {
  return seesWorkspace(viewer, workspace) ? workspace : NOWHERE
}

/** The workspaces of the caller's teams, with what it may do in each. */
export function permissionsByWorkspace({ role, teams }: Viewer) {
  return [...(teams?.teamOf ?? [])].flatMap(([workspace, team]) => {
    const roleThere = teams?.roles.get(team)
    return roleThere === undefined
      ? []
      : [{ workspace, team, permissions: [...permissionsInTeam(role, roleThere)] }]
  })
}

/** The workspaces that lists are limited to; undefined if nothing is hidden from the caller. */
export function listedWorkspaces(viewer: Viewer): readonly string[] | undefined {
  const { teams } = viewer
  if (!teams) return undefined
  const names = [...teams.teamOf.keys()]
  const seen = names.filter((name) => seesWorkspace(viewer, name))
  return seen.length === names.length ? undefined : seen
}
