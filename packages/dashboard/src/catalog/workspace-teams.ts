import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { resourceQuery, resourcesQuery } from './catalog-queries.ts'
import { readTeam } from './team-names.ts'

/** Workspaces change their team rarely, and a page that shows an old one does no harm. */
const STALE_MS = 300_000

/** The team of each workspace that has one. Empty until they are known: pages don't wait for it. */
export function useWorkspaceTeams(isNeeded = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...resourcesQuery('workspace'), staleTime: STALE_MS, enabled: isNeeded })
  return useMemo(
    () =>
      new Map(
        data
          ?.map((resource) => [resource.name, readTeam(resource)] as const)
          .filter(([, team]) => team !== ''),
      ),
    [data],
  )
}

export function useWorkspaceTeam(workspace: string): string {
  const { data } = useQuery({ ...resourceQuery('workspace', workspace), staleTime: STALE_MS })
  return data ? readTeam(data) : ''
}
