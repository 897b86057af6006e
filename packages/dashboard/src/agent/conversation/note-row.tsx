import { Link } from '@tanstack/react-router'
import { useContext } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import { classNames } from '../../ui/class-names.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { PhaseBadge } from '../../ui/phase-badge.tsx'
import { EventAddressContext, EventPlace } from './event-place.tsx'
import type { NoteAgent, NoteItem } from './items.ts'
import type { NoteTone } from './notes.ts'

const TONES: Readonly<Record<NoteTone, string>> = {
  plain: 'text-muted',
  good: 'text-completed',
  warning: 'text-waiting',
  bad: 'text-failed',
}

export function NoteRow({ item: { sequence, time, actor, note } }: { readonly item: NoteItem }) {
  const { text, detail = '', tone, phase, agent } = note
  return (
    <div className="min-w-0 pl-3 text-xs">
      <div className={classNames('flex min-h-6 items-center gap-2', TONES[tone])}>
        <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-current opacity-60" />
        <span
          className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5 break-words"
          title={`By ${actor}`}
        >
          <span className="line-clamp-3 min-w-0 break-words">{text}</span>
          {agent !== undefined && <AgentName agent={agent} />}
          {phase !== undefined && <PhaseBadge phase={phase} />}
        </span>
        <EventPlace sequence={sequence} time={time} />
      </div>
      {detail !== '' && (
        <div
          className={classNames(
            'mt-1 rounded-lg border px-3 py-2 text-ink',
            tone === 'bad' ? 'border-failed/40 bg-failed-soft' : 'border-waiting/40 bg-waiting-soft',
          )}
        >
          <Markdown text={detail} />
        </div>
      )}
    </div>
  )
}

/** Without event URLs, other agents have no pages either. */
function AgentName({ agent }: { readonly agent: NoteAgent }) {
  const isLinked = useContext(EventAddressContext) !== undefined
  const name = agent.agent.at(-1)
  if (!isLinked) return <span className="font-medium text-ink">{name}</span>
  return (
    <Link {...agentLink(agent)} className="min-w-0 truncate font-medium text-accent-text underline">
      {name}
    </Link>
  )
}
