import type { Firing } from '@skein/client'
import { classNames } from '../../../ui/class-names.ts'
import { firingMark } from '../marks.ts'
import { describeFirings } from './describe-firings.ts'

const SHOWN = 40
const FILLS = {
  good: 'bg-completed',
  busy: 'bg-running',
  warning: 'bg-waiting',
  bad: 'bg-failed',
  off: 'bg-canceled',
} as const

/** The newest firings as a row of marks, oldest first. */
export function FiringStrip({ firings }: { readonly firings: readonly Firing[] }) {
  const shown = firings.slice(0, SHOWN)
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span role="img" aria-label={`Latest firings: ${describeFirings(shown)}`} className="flex gap-0.5">
        {shown.toReversed().map(({ dueTime, outcome }) => (
          <span
            key={dueTime}
            className={classNames('h-4 w-1 rounded-full', FILLS[firingMark(outcome).tone])}
          />
        ))}
      </span>
      <span aria-hidden className="text-xs text-muted tabular-nums">
        {describeFirings(shown)}
      </span>
    </span>
  )
}
