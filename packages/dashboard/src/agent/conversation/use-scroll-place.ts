import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TimelineStore } from '../../live/timeline-store.ts'
import { findItemOf } from './to-conversation.ts'
import type { ConversationItem } from './items.ts'

/** How close to the end still counts as reading the end. */
export const END_PX = 80

interface Options {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
  readonly items: readonly ConversationItem[]
  readonly event: number | undefined
  readonly isRead: boolean
  readonly store: TimelineStore
  /** Called to expand the item with the event. */
  readonly onShow: (sequence: number) => void
}

/** Starts at the end or at the URL's event, stays at the end while the reader is there, and counts new items. */
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
    // An event at the very beginning needs no scrolling, so no scroll event follows.
    requestAnimationFrame(() => {
      setIsAtEnd(isNearEnd(virtualizer.scrollElement))
      setLastSeen(last)
    })
  }, [event, isRead, items, last, store, onShow, virtualizer])

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

/** Asks the page itself: the virtualizer learns about a scroll only later. */
function isNearEnd(element: HTMLDivElement | null): boolean {
  return element === null || element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX
}
