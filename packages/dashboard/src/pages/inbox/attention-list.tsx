import type { FleetPullRequest } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import type { FleetItem } from '../../live/fleet-item.ts'
import { toOneLine } from '../../format/one-line.ts'
import { PullRequestLine } from '../../agent/pull-requests/pull-request-line.tsx'
import { usePullRequests } from '../../agent/pull-requests/use-pull-requests.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PhaseDot, PHASES } from '../../ui/phase-badge.tsx'
import { Ago } from '../../ui/time.tsx'
import { pickWords } from '../../agent/pick-words.ts'

const STEP = 20

/** Agents that may need attention, one line each. */
export function AttentionList({
  title,
  items,
}: {
  readonly title: string
  readonly items: readonly FleetItem[]
}) {
  const [limit, setLimit] = useState(STEP)
  const shown = useMemo(() => items.slice(0, limit), [items, limit])
  const pulls = usePullRequests(shown)
  if (items.length === 0) return null
  return (
    <Card title={`${title} (${items.length.toLocaleString('en')})`}>
      <ul className="divide-y divide-line">
        {shown.map(({ key, title: name, entry }) => (
          <li key={key}>
            <Link
              {...agentLink(entry.agentId)}
              className="flex min-w-0 flex-col gap-0.5 px-4 py-2.5 text-sm hover:bg-raised/60"
            >
              <span className="flex min-w-0 items-center gap-2">
                <PhaseDot phase={entry.phase} />
                <span className="sr-only">{PHASES[entry.phase].label}:</span>
                <span className="truncate font-medium">{name}</span>
                <span className="ml-auto shrink-0 text-xs text-muted">
                  <Ago time={entry.endTime === '' ? entry.progressAt : entry.endTime} />
                </span>
              </span>
              <span className="truncate text-muted">{toOneLine(pickWords(entry).text)}</span>
              <PullLine pulls={pulls.get(key)} />
            </Link>
          </li>
        ))}
      </ul>
      {items.length > limit && (
        <div className="border-t border-line p-2 text-center">
          <Button look="quiet" size="small" onClick={() => setLimit(limit + STEP)}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  )
}

function PullLine({ pulls }: { readonly pulls: FleetPullRequest | undefined }) {
  return pulls && <PullRequestLine pull={pulls.pullRequest} isLinked={false} />
}
