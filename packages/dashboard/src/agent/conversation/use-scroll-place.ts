import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TimelineStore } from '../../live/timeline-store.ts'
import { findItemOf } from './to-conversation.ts'
import type { ConversationItem } from './items.ts'

/** How far from the end somebody still reads the end. */
export const END_PX = 80

interface Options {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
  readonly items: readonly ConversationItem[]
  readonly event: number | undefined
  readonly isRead: boolean
  readonly store: TimelineStore
  /** The item with the event is to be opened. */
  readonly onShow: (sequence: number) => void
}

/** Begins at the end or at the event of the address, stays at the end while one reads there, and counts what is new. */
export function useScrollPlace({ virtualizer, items, event, isRead, store, onShow }: Options): {
  readonly isAtEnd: boolean
  readonly newCount: number
  readonly noticeScroll: () => void
  readonly jumpToEnd: () => void
} {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const [lastSeen, setLastSeen] = useState(0)
  const hasBegun = useRef(false)
  const last = items.at(-1)?.sequence ?? 0

  useLayoutEffect(() => {
    if (hasBegun.current || items.length === 0 || event !== undefined) return
    hasBegun.current = true
    virtualizer.scrollToEnd()
  }, [items.length, event, virtualizer])

  const shown = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (event === undefined || !isRead || shown.current === event) return
    const first = items[0]?.sequence
    if (first !== undefined && first > event) {
      void store.loadEarlier(event).catch(() => undefined)
      return
    }
    const index = findItemOf(items, event)
    const item = items[index]
    if (item === undefined) return
    shown.current = event
    hasBegun.current = true
    if (item.type === 'tools') onShow(item.sequence)
    virtualizer.scrollToIndex(index, { align: 'center' })
    // An event at the very beginning needs no scrolling, so nothing else would tell.
    requestAnimationFrame(() => setIsAtEnd(isNearEnd(virtualizer.scrollElement)))
  }, [event, isRead, items, store, onShow, virtualizer])

  return {
    isAtEnd,
    newCount: isAtEnd ? 0 : items.length - 1 - findItemOf(items, lastSeen),
    noticeScroll: () => {
      const next = isNearEnd(virtualizer.scrollElement)
      if (next === isAtEnd) return
      setIsAtEnd(next)
      setLastSeen(last)
    },
    jumpToEnd: () => virtualizer.scrollToEnd(),
  }
}

/** Asks the page itself: the virtualizer learns of a scroll only after this was told. */
function isNearEnd(element: HTMLDivElement | null): boolean {
  return element === null || element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX
}
