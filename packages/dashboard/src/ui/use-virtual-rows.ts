import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useRef, type RefObject } from 'react'

/** Rows of the same height, of which only visible ones are rendered. */
export function useVirtualRows(
  count: number,
  height: number,
  overscan: number,
): {
  readonly scrolled: RefObject<HTMLDivElement | null>
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
} {
  const scrolled = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised that depends on its answers
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => height,
    overscan,
  })
  return { scrolled, virtualizer }
}
