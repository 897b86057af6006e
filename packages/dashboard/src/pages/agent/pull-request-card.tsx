import type { Agent, AgentStatus } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { agentKey } from '../../format/agent-link.ts'
import { choosePullRequests } from '../../agent/pull-requests/describe-pull-request.ts'
import { PullRequestLine } from '../../agent/pull-requests/pull-request-line.tsx'
import { REFRESH_MS } from '../../agent/pull-requests/use-pull-requests.ts'

/** The agent's pull requests, one line each. Nothing if it has none. */
export function PullRequestCard({ agent, status }: { readonly agent: Agent; readonly status: AgentStatus }) {
  const { data = [] } = useQuery({
    queryKey: ['pull-requests', agentKey(status.agentId)],
    queryFn: ({ signal }) => agent.pullRequests({ signal }),
    refetchInterval: REFRESH_MS,
    // Without a pushed branch there is nothing to merge.
    enabled: status.branches.length > 0,
  })
  const shown = choosePullRequests(data)
  if (shown.length === 0) return null
  return (
    <ul aria-label="Pull requests" className="flex shrink-0 flex-col gap-1 px-4 pb-2">
      {shown.map((pull) => (
        <li key={pull.name} className="min-w-0 rounded-lg border border-line bg-surface px-3 py-1.5">
          <PullRequestLine pull={pull} isLinked />
        </li>
      ))}
    </ul>
  )
}
