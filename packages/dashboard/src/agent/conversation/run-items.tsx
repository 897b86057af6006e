import { Flag, Play } from 'lucide-react'
import { useContext, type ReactNode } from 'react'
import { formatCount, formatMoney } from '../../format/money.ts'
import { formatSpan } from '../../format/span.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { describeEndReason } from '../end-reasons.ts'
import { EventPlace } from './event-place.tsx'
import { FailedRunContext } from './failed-run.ts'
import type { RunEnd, RunStart } from './items.ts'

export function RunStartItem({ item }: { readonly item: RunStart }) {
  return (
    <Line place={<EventPlace sequence={item.sequence} time={item.time} />}>
      <Play size={13} aria-hidden />
      <strong className="font-semibold text-ink">Run {item.runId}</strong>
      {item.attempt > 1 && <span>attempt {item.attempt}</span>}
      <span className="min-w-0 truncate">on {item.runner}</span>
    </Line>
  )
}

export function RunEndItem({ item }: { readonly item: RunEnd }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {item.message !== '' && (
        <div className="rounded-xl border border-line bg-surface px-3.5 py-2.5">
          <p className="mb-1 text-xs text-muted">Result</p>
          <Markdown text={item.message} />
        </div>
      )}
      <Line place={<EventPlace sequence={item.sequence} time={item.time} />}>
        <Flag size={13} aria-hidden />
        <strong className="font-semibold text-ink">
          Run {item.runId} {describeEndReason(item.reason)}
        </strong>
        {item.startTime !== '' && (
          <span>after {formatSpan(Date.parse(item.time) - Date.parse(item.startTime))}</span>
        )}
        <span>{formatMoney(item.cost)}</span>
        <span>{formatCount(String(item.tokens))} tokens</span>
      </Line>
      <Failure item={item} />
    </div>
  )
}

/** The error of a run. If the agent failed with it, it can be retried. */
function Failure({ item }: { readonly item: RunEnd }) {
  const failed = useContext(FailedRunContext)
  const isLast = failed?.runId === item.runId
  // Older runs have no stored error.
  const { code, message } = isLast && item.error.message === '' ? failed : item.error
  if (message === '') return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border border-failed/40 bg-failed-soft px-3.5 py-2.5 text-sm">
      <p className="min-w-0 break-words text-failed">
        {message} {code !== '' && <code className="text-xs">{code}</code>}
      </p>
      {isLast && failed.action}
    </div>
  )
}

function Line({ place, children }: { readonly place: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-3 text-xs text-muted">
      <span className="h-px min-w-3 flex-1 bg-line" aria-hidden />
      <span className="flex min-w-0 flex-wrap items-center justify-center gap-x-2">{children}</span>
      <span className="h-px min-w-3 flex-1 bg-line" aria-hidden />
      {place}
    </div>
  )
}
