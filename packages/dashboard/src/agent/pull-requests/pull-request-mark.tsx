import type { AgentPullRequest, FleetPullRequest } from '@skein/client'
import {
  CircleCheck,
  CircleDashed,
  CircleX,
  GitMerge,
  GitPullRequest,
  GitPullRequestClosed,
  GitPullRequestDraft,
  MessageCircleWarning,
  MessagesSquare,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { describePullRequest, isWebAddress } from './describe-pull-request.ts'

interface StateSign {
  readonly Icon: LucideIcon
  readonly className: string
}

interface Sign extends StateSign {
  readonly what: 'checks' | 'conflicts' | 'review'
}

/** A pull request as its number and icons, for rows. Screen readers get the words. */
export function PullRequestMark({
  pulls: { pullRequest, openCount },
  link,
}: {
  readonly pulls: FleetPullRequest
  /** Missing inside another link. */
  readonly link?: { readonly tabIndex: number }
}) {
  const words = describePullRequest(pullRequest)
  const State = stateSign(pullRequest)
  const content = (
    <>
      <State.Icon size={14} aria-hidden className={`shrink-0 ${State.className}`} />
      <span aria-hidden className="tabular-nums">
        #{pullRequest.number}
      </span>
      {signsOf(pullRequest).map(({ Icon, className, what }) => (
        <Icon key={what} size={14} aria-hidden className={`shrink-0 ${className}`} />
      ))}
      <span className="sr-only">{words}</span>
      {openCount > 1 && (
        <span className="text-muted">
          +{openCount - 1}
          <span className="sr-only"> more open</span>
        </span>
      )}
    </>
  )
  const classes = 'inline-flex max-w-full items-center gap-1 align-middle text-xs whitespace-nowrap'
  if (!link || !isWebAddress(pullRequest.url)) {
    return (
      <span title={words} className={classes}>
        {content}
      </span>
    )
  }
  return (
    <a
      {...link}
      href={pullRequest.url}
      title={words}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`${classes} py-1.5 hover:underline`}
    >
      {content}
    </a>
  )
}

function stateSign({ state, draft }: AgentPullRequest): StateSign {
  if (state === 'merged') return { Icon: GitMerge, className: 'text-completed' }
  if (state === 'closed') return { Icon: GitPullRequestClosed, className: 'text-canceled' }
  if (draft) return { Icon: GitPullRequestDraft, className: 'text-muted' }
  return { Icon: GitPullRequest, className: 'text-running' }
}

/** What decides whether an open one can be merged. */
function signsOf({ state, checks, isConflicting, review, reviewProblem }: AgentPullRequest): readonly Sign[] {
  if (state !== 'open') return []
  const signs: Sign[] = []
  if (checks === 'passing') signs.push({ what: 'checks', Icon: CircleCheck, className: 'text-completed' })
  if (checks === 'failing') signs.push({ what: 'checks', Icon: CircleX, className: 'text-failed' })
  if (checks === 'pending') signs.push({ what: 'checks', Icon: CircleDashed, className: 'text-running' })
  if (isConflicting) signs.push({ what: 'conflicts', Icon: TriangleAlert, className: 'text-failed' })
  if (review === 'stopped' || reviewProblem !== '')
    signs.push({ what: 'review', Icon: MessageCircleWarning, className: 'text-waiting' })
  else if (review === 'working')
    signs.push({ what: 'review', Icon: MessagesSquare, className: 'text-running' })
  return signs
}
