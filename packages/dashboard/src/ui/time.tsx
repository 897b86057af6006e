import { useSyncExternalStore } from 'react'
import { formatAgo, formatSpan } from '../format/span.ts'

const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: number | undefined

/** One clock for the whole page, so that all ages tick together. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= window.setInterval(() => {
    nowMs = Date.now()
    for (const notify of listeners) notify()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The exact time, for the tooltip; undefined if empty. */
export function formatMoment(time: string): string | undefined {
  return time === '' ? undefined : MOMENT.format(Date.parse(time))
}

/** `5m 3s ago`, with the exact time as the tooltip. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow()
  if (time === '') return <span className="text-muted">–</span>
  return (
    <time dateTime={time} title={formatMoment(time)} className="whitespace-nowrap tabular-nums">
      {formatAgo(time, now)}
    </time>
  )
}

/** A duration that grows while there is no end. */
export function Lasting({ from, to }: { readonly from: string; readonly to: string }) {
  const now = useNow()
  if (from === '') return <span className="text-muted">–</span>
  const end = to === '' ? now : Date.parse(to)
  return <span className="whitespace-nowrap tabular-nums">{formatSpan(end - Date.parse(from))}</span>
}
