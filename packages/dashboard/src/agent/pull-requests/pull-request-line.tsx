import type { AgentPullRequest } from '@skein/client'
import { GitPullRequest } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { describeReview, isWebAddress, marksOf } from './describe-pull-request.ts'

/** A pull request in one line, where there is room for words. */
export function PullRequestLine({
  pull,
  isLinked,
}: {
  readonly pull: AgentPullRequest
  /** False inside another link. */
  readonly isLinked: boolean
}) {
  const { number, title, url, repository } = pull
  const text = `#${number} ${title}`
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs">
      <span
        className="flex max-w-full min-w-0 items-center gap-1.5 font-medium"
        title={`${repository} ${text}`}
      >
        <GitPullRequest size={14} aria-hidden className="shrink-0 text-muted" />
        {isLinked && isWebAddress(url) ? (
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
      <span className="flex flex-wrap items-center gap-1">
        {marksOf(pull).map((mark) => (
          <Badge key={mark.label} mark={mark} />
        ))}
      </span>
      <span className="min-w-0 truncate text-muted" title={describeReview(pull)}>
        {describeReview(pull)}
      </span>
    </span>
  )
}
