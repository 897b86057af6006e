import type { AgentPullRequest } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import type { FleetItem } from '../../live/fleet-item.ts'
import { PullRequestLine } from '../../agent/pull-requests/pull-request-line.tsx'
import { canDriveAgent, explainNoDrive } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Ago } from '../../ui/time.tsx'
import { AnswerForm } from './answer-form.tsx'

export const QuestionCard = memo(function QuestionCard({
  item,
  pull,
}: {
  readonly item: FleetItem
  readonly pull: AgentPullRequest | undefined
}) {
  const identity = useIdentity()
  const { entry, title } = item
  return (
    <li className="rounded-xl border border-line border-l-4 border-l-waiting bg-surface p-4">
      <article aria-label={`Question from ${title}`} className="flex min-w-0 flex-col gap-3">
        <header className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-3 gap-y-0.5">
          <h2 className="min-w-0 text-sm font-semibold">
            <Link
              {...agentLink(entry.agentId)}
              className="block truncate text-accent-text hover:underline"
              title={title}
            >
              {title}
            </Link>
          </h2>
          <p className="text-xs text-muted">
            {entry.agentId.account} · asked <Ago time={entry.progressAt} />
          </p>
        </header>
        {pull !== undefined && <PullRequestLine pull={pull} isLinked />}
        <Markdown text={entry.needsInput} />
        {canDriveAgent(identity, entry.agentId) ? (
          <AnswerForm agentId={entry.agentId} title={title} />
        ) : (
          <p className="text-xs break-words text-muted">
            {explainNoDrive(identity, entry.agentId, 'answer this question')}
          </p>
        )}
      </article>
    </li>
  )
})
