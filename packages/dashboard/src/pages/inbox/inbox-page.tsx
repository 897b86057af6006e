import { useMemo, useState } from 'react'
import { PartyPopper } from 'lucide-react'
import { ConnectionNotice } from '../../live/connection.tsx'
import { useFleet } from '../../live/use-fleet.ts'
import { usePullRequests } from '../../agent/pull-requests/use-pull-requests.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/card.tsx'
import { EmptyState, ErrorNotice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { AttentionList } from './attention-list.tsx'
import { QuestionCard } from './question-card.tsx'
import { questionKey, sortInbox } from './sort-inbox.ts'

const WAITING = { account: '*', phases: ['PHASE_WAITING'] } as const
const FAILED = { account: '*', phases: ['PHASE_FAILED'], includeTerminal: true } as const
const MAX_FAILED = 1_000
const STEP = 30

/** Every agent that needs someone. */
export function InboxPage() {
  const waiting = useFleet(WAITING)
  const failed = useFleet(FAILED, MAX_FAILED)
  // Rounded to minutes: this list need not be sorted every second.
  const nowMs = Math.floor(useNow() / 60_000) * 60_000
  const [limit, setLimit] = useState(STEP)
  const {
    asking,
    failed: failures,
    resting,
  } = useMemo(() => sortInbox(waiting.items, failed.items, nowMs), [waiting.items, failed.items, nowMs])
  const shown = useMemo(() => asking.slice(0, limit), [asking, limit])
  const pulls = usePullRequests(shown)
  const error = waiting.error ?? failed.error
  return (
    <>
      <ConnectionNotice state={waiting.connection} />
      <div className="mx-auto flex w-full max-w-4xl min-w-0 flex-col gap-5 p-4 lg:p-6">
        <PageHeader
          title="Inbox"
          description={<p role="status">{waiting.isLoaded ? describeInbox(asking.length) : 'Loading…'}</p>}
        />
        {error !== undefined && (
          <div className="flex flex-col items-start gap-2">
            <ErrorNotice error={error} className="w-full" />
            <Button
              onClick={() => {
                waiting.retry()
                failed.retry()
              }}
            >
              Try again
            </Button>
          </div>
        )}
        {waiting.isLoaded && asking.length === 0 && (
          <EmptyState title="No open questions" icon={<PartyPopper size={36} aria-hidden />}>
            Questions from agents appear here.
          </EmptyState>
        )}
        {asking.length > 0 && (
          <section aria-label="Questions">
            <ul className="flex flex-col gap-3">
              {shown.map((item) => (
                <QuestionCard key={questionKey(item)} item={item} pull={pulls.get(item.key)?.pullRequest} />
              ))}
            </ul>
            {asking.length > limit && (
              <Button className="mt-3" onClick={() => setLimit(limit + STEP)}>
                Show more ({asking.length - limit} left)
              </Button>
            )}
          </section>
        )}
        <AttentionList title="Failed in the last 24 hours" items={failures} />
        <AttentionList title="Idle, waiting for a message" items={resting} />
      </div>
    </>
  )
}

function describeInbox(count: number): string {
  if (count === 0) return 'Nothing needs your answer'
  return count === 1 ? '1 agent is asking' : `${count.toLocaleString('en')} agents are asking`
}
