import { withTeam } from '../../../catalog/team-names.ts'
import { searchPhases, togglePhase, type FleetSearch } from '../fleet-search.ts'

/** An active filter, and the search without it. */
export interface Chip {
  readonly label: string
  readonly without: (search: FleetSearch) => FleetSearch
}

export function listChips(
  search: FleetSearch,
  teams: ReadonlyMap<string, string> = new Map(),
): readonly Chip[] {
  const { asks, account, workspace, label, text, ended } = search
  return [
    ...searchPhases(search).map((name) => ({
      label: `Phase: ${name}`,
      without: (before: FleetSearch) => togglePhase(before, name),
    })),
    asks === true && drop('asks', 'Asking'),
    account !== undefined && drop('account', `Whose: ${account}`),
    workspace !== undefined && drop('workspace', `Workspace: ${withTeam(workspace, teams)}`),
    label !== undefined && drop('label', `Labels: ${label}`),
    text !== undefined && drop('text', `Text: ${text}`),
    ended === true && drop('ended', 'Include ended'),
  ].filter((chip) => chip !== false)
}

function drop(name: keyof FleetSearch, label: string): Chip {
  return { label, without: (search) => ({ ...search, [name]: undefined }) }
}
