import { ArrowDown } from 'lucide-react'
import type { Task } from '@skein/client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../../live/timeline-store.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CheckField } from '../../ui/field.tsx'
import { ConversationRow } from './conversation-row.tsx'
import type { ConversationItem } from './items.ts'
import { LastSaid } from './last-said.tsx'
import { useOpenItems } from './open-items.ts'
import { toConversation } from './to-conversation.ts'
import { END_PX, useScrollPlace } from './use-scroll-place.ts'

interface Props {
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
  /** The event to scroll to instead of the newest. */
  readonly event: number | undefined
  readonly tasks: readonly Task[]
}

export function Conversation({ timeline, store, event, tasks }: Props) {
  const [isComplete, setIsComplete] = useState(false)
  const { events } = timeline
  const items = useMemo(() => toConversation(events, { isComplete, tasks }), [events, isComplete, tasks])
  const opened = useOpenItems()
  const scrolled = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scrolled.current,
    estimateSize: (index) => estimateHeight(items[index]),
    getItemKey: (index) => items[index]?.sequence ?? index,
    overscan: 8,
    gap: 10,
    paddingStart: 8,
    paddingEnd: 16,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
  })
  const { isAtEnd, newCount, noticeScroll, jumpToEnd } = useScrollPlace({
    virtualizer,
    items,
    event,
    isRead: timeline.isRead,
    store,
    onShow: opened.open,
  })
  return (
    <section aria-labelledby="conversation-title" className="relative flex h-full min-h-0 flex-col">
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-4 pb-1">
        <h2 id="conversation-title" className="sr-only">
          Conversation
        </h2>
        <CheckField
          label="Show all events"
          checked={isComplete}
          onChange={(change) => setIsComplete(change.target.checked)}
        />
        {timeline.hasEarlier && (
          <Button
            size="small"
            isBusy={timeline.isLoadingEarlier}
            onClick={() => void store.loadEarlier().catch(() => undefined)}
          >
            {timeline.isLoadingEarlier ? 'Loading…' : 'Load earlier events'}
          </Button>
        )}
      </div>
      <div
        ref={scrolled}
        tabIndex={0}
        role="region"
        aria-label="Messages and tool calls"
        onScroll={noticeScroll}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 [overflow-anchor:none] [scrollbar-gutter:stable]"
      >
        <ol className="relative mx-auto max-w-4xl" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const item = items[index]
            if (item === undefined) return null
            const isHighlighted = event !== undefined && holdsEvent(items, index, event)
            return (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-event={item.sequence}
                aria-current={isHighlighted ? 'location' : undefined}
                style={{ transform: `translateY(${start}px)` }}
                className={classNames(
                  'group/item absolute top-0 left-0 w-full rounded-xl',
                  isHighlighted && 'outline-2 outline-offset-2 outline-accent',
                )}
              >
                <ConversationRow item={item} opened={opened} highlighted={event} />
              </li>
            )
          })}
        </ol>
      </div>
      {!isAtEnd && items.length > 0 && (
        <Button
          size="small"
          look={newCount > 0 ? 'primary' : 'secondary'}
          onClick={jumpToEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-raised"
        >
          <ArrowDown size={14} aria-hidden />
          {newCount > 0 ? `${newCount} new` : 'Jump to latest'}
        </Button>
      )}
      <LastSaid items={items} />
    </section>
  )
}

function holdsEvent(items: readonly ConversationItem[], index: number, event: number): boolean {
  const item = items[index]
  const next = items[index + 1]
  return item !== undefined && item.sequence <= event && (next === undefined || next.sequence > event)
}

/** Close enough that the scroll bar doesn't jump. Each row is measured once it is visible. */
function estimateHeight(item: ConversationItem | undefined): number {
  switch (item?.type) {
    case 'to-agent':
    case 'from-agent':
      return 64 + Math.min(600, Math.ceil((item.text?.length ?? 0) / 90) * 22)
    case 'tools':
      return 36
    case 'push':
      return 60
    default:
      return 26
  }
}
