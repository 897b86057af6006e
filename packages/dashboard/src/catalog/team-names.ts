import type { Resource } from '@skein/client'

/** The team that a workspace belongs to; empty if it belongs to everyone. */
export function readTeam({ document }: Pick<Resource, 'document'>): string {
  const { team } = document
  return typeof team === 'string' ? team : ''
}

/** A workspace's name, with its team if it has one. */
export function withTeam(workspace: string, teams: ReadonlyMap<string, string>): string {
  const team = teams.get(workspace)
  return team === undefined ? workspace : `${workspace} (team ${team})`
}
