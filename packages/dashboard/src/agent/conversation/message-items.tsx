import { Bot, CalendarClock, Hourglass, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Ago } from '../../ui/time.tsx'
import { EventPlace } from './event-place.tsx'
import type { MessageFromAgent, MessageToAgent } from './items.ts'

export function ToAgentItem({ item }: { readonly item: MessageToAgent }) {
  const isWaiting = item.state !== 'delivered'
  return (
    <Bubble
      author={item.author === '' ? 'Unknown' : item.author}
      aside={asideOf(item)}
      icon={<UserRound size={15} aria-hidden />}
      place={<EventPlace sequence={item.sequence} time={item.time} />}
      className={
        isWaiting ? 'border-dashed border-line-strong/60 bg-canvas' : 'border-accent/25 bg-accent-soft'
      }
    >
      {isWaiting && <DeliveryState item={item} />}
      {item.text === undefined ? (
        <p className="text-sm text-muted italic">Load earlier events to read this message.</p>
      ) : (
        <Markdown text={item.text} />
      )}
    </Bubble>
  )
}

function asideOf({ isSpawn, isSteered }: MessageToAgent): string | undefined {
  if (isSpawn) return 'spawned the agent'
  return isSteered ? 'steered the run' : undefined
}

export function FromAgentItem({ item }: { readonly item: MessageFromAgent }) {
  return (
    <Bubble
      author="Agent"
      icon={<Bot size={15} aria-hidden />}
      place={<EventPlace sequence={item.sequence} time={item.time} />}
      className="border-line bg-surface"
    >
      <Markdown text={item.text} />
    </Bubble>
  )
}

function DeliveryState({ item }: { readonly item: MessageToAgent }) {
  return (
    <p className="mb-1 flex items-center gap-1.5 text-xs font-medium text-waiting">
      {item.state === 'deferred' ? (
        <>
          <CalendarClock size={13} aria-hidden />
          <span>
            Deferred, due <Ago time={item.deliverAt} />
          </span>
        </>
      ) : (
        <>
          <Hourglass size={13} aria-hidden />
          Queued, not delivered yet
        </>
      )}
    </p>
  )
}

function Bubble({
  author,
  aside,
  icon,
  place,
  className,
  children,
}: {
  readonly author: string
  readonly aside?: string | undefined
  readonly icon: ReactNode
  readonly place: ReactNode
  readonly className: string
  readonly children: ReactNode
}) {
  return (
    <article className={classNames('min-w-0 rounded-xl border px-3.5 py-2.5', className)}>
      <header className="mb-1 flex items-center gap-2 text-xs text-muted">
        {icon}
        <span className="min-w-0 truncate font-semibold text-ink">{author}</span>
        {aside}
        <span className="ml-auto">{place}</span>
      </header>
      {children}
    </article>
  )
}
