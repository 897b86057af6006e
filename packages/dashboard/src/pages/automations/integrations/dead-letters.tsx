import type { DeadLetter } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { agentLink } from '../../../format/agent-link.ts'
import { Button } from '../../../ui/button.tsx'
import { Ago } from '../../../ui/time.tsx'
import { deadLettersQuery } from '../automation-queries.ts'
import { LogCard } from '../log-card.tsx'
import { useReplay } from './use-replay.ts'

/** What was given up. Nothing if there is nothing. */
export function DeadLetters({ name, canReplay }: { readonly name: string; readonly canReplay: boolean }) {
  const log = useInfiniteQuery(deadLettersQuery(name))
  const { start, isBusy, dialog } = useReplay(name)
  const letters = log.data?.pages.flatMap((page) => page.deadLetters) ?? []
  if (letters.length === 0 && !log.isError) return null
  return (
    <>
      <LogCard
        title="Dead letters (not delivered within three days)"
        actions={
          canReplay &&
          letters.length > 0 && (
            <Button size="small" isBusy={isBusy} onClick={() => start({ deadLetters: true })}>
              <History size={14} aria-hidden /> Replay all
            </Button>
          )
        }
        pages={log}
        moreLabel="Show older ones"
        empty="No dead letters."
        entries={letters.map((letter) => (
          <li key={letter.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
            <Agent letter={letter} />
            <span className="text-muted tabular-nums">{describeRange(letter)}</span>
            <span className="ml-auto text-muted">
              <Ago time={letter.time} />
            </span>
            <span className="w-full break-words text-failed">{letter.error}</span>
          </li>
        ))}
      />
      {dialog}
    </>
  )
}

function Agent({ letter: { agentId } }: { readonly letter: DeadLetter }) {
  if (agentId === undefined) return <span className="text-muted">No agent, or a deleted agent</span>
  return (
    <Link {...agentLink(agentId)} className="min-w-0 break-all text-accent-text hover:underline">
      {[agentId.workspace, ...agentId.agent].join('/')}
    </Link>
  )
}

function describeRange({ firstSequence, lastSequence }: DeadLetter): string {
  return firstSequence === lastSequence
    ? `event ${firstSequence}`
    : `events ${firstSequence} to ${lastSequence}`
}
