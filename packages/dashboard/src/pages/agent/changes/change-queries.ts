import type { Agent, AgentStatus, Diff } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { agentKey } from '../../../format/agent-link.ts'

const LOOK_AGAIN_MS = 2_000
const MAX_LOOKS = 30

/** Diffs are recorded a moment after a push: looks again until the newest is there, for a minute. */
export function useDiffs(agent: Agent, { agentId, branches }: Pick<AgentStatus, 'agentId' | 'branches'>) {
  const commits = branches.map(({ commit }) => commit).filter((commit) => commit !== '')
  const query = useQuery({
    queryKey: ['diffs', agentKey(agentId), commits],
    queryFn: ({ signal }) => agent.diffs({ signal }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && countMissing(commits, data) > 0 && dataUpdateCount < MAX_LOOKS && LOOK_AGAIN_MS,
  })
  return { ...query, hasMissing: query.data !== undefined && countMissing(commits, query.data) > 0 }
}

function countMissing(commits: readonly string[], diffs: readonly Diff[]): number {
  return commits.filter((commit) => !diffs.some((diff) => diff.commit === commit)).length
}

/** All files without their patches: a diff has at most a thousand. */
export function useDiffFiles(agent: Agent, diffId: string) {
  return useQuery({
    queryKey: ['diff', diffId],
    queryFn: ({ signal }) => agent.readDiff(diffId, { signal }),
    staleTime: Infinity,
  })
}

export function usePatch(agent: Agent, diffId: string, file: number) {
  return useQuery({
    queryKey: ['diff', diffId, file],
    queryFn: async ({ signal }) => {
      const { files } = await agent.readDiff(diffId, { file, withPatches: true, signal })
      return files[0]?.patch ?? ''
    },
    staleTime: Infinity,
    // A few megabytes each.
    gcTime: 60_000,
  })
}
