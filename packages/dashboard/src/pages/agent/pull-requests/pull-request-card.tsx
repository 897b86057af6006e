import type { Agent, AgentPullRequest, AgentStatus } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { GitPullRequest } from 'lucide-react'
import { agentKey } from '../../../format/agent-link.ts'
import { Badge } from '../../../ui/badge.tsx'
import { choosePullRequests, describeReview, isWebAddress, marksOf } from './describe-pull-request.ts'

/** Servers look at the code host every few minutes, or when it sends a webhook. */
const REFRESH_MS = 20_000

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
        <li
          key={pull.name}
          className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-surface px-3 py-1.5 text-xs"
        >
          <Title pull={pull} />
          <span className="flex flex-wrap items-center gap-1">
            {marksOf(pull).map((mark) => (
              <Badge key={mark.label} mark={mark} />
            ))}
          </span>
          <span className="min-w-0 truncate text-muted">{describeReview(pull)}</span>
        </li>
      ))}
    </ul>
  )
}

function Title({ pull: { number, title, url, repository } }: { readonly pull: AgentPullRequest }) {
  const text = `#${number} ${title}`
  return (
    <span
      className="flex max-w-full min-w-0 items-center gap-1.5 font-medium"
      title={`${repository} ${text}`}
    >
      <GitPullRequest size={14} aria-hidden className="shrink-0 text-muted" />
      {isWebAddress(url) ? (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="min-w-0 truncate text-accent-text underline"
        >
          {text}
        </a>
      ) : (
        <span className="min-w-0 truncate">{text}</span>
      )}
    </span>
  )
}
