import { useLayoutEffect, useState, type RefObject } from 'react'

/** The distance of a list from the top of the page, which changes with the content above. */
export function useScrollMargin(list: RefObject<HTMLElement | null>): number {
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    const page = list.current?.parentElement
    if (page === null || page === undefined) return undefined
    const measure = (): void => {
      const top = list.current?.getBoundingClientRect().top
      if (top !== undefined) setMargin(Math.round(top + window.scrollY))
    }
    measure()
    // Not at every render: measuring forces a layout.
    const observer = new ResizeObserver(measure)
    for (const part of page.children) observer.observe(part)
    observer.observe(page)
    return () => observer.disconnect()
  }, [list])
  return margin
}
