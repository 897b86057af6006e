import { classNames } from './class-names.ts'

const TONES = {
  good: 'bg-completed-soft text-completed',
  busy: 'bg-running-soft text-running',
  warning: 'bg-waiting-soft text-waiting',
  bad: 'bg-failed-soft text-failed',
  off: 'bg-canceled-soft text-canceled',
} as const

export interface Mark {
  readonly label: string
  readonly tone: keyof typeof TONES
}

/** A state or an outcome. */
export function Badge({ mark: { label, tone } }: { readonly mark: Mark }) {
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap',
        TONES[tone],
      )}
    >
      {label}
    </span>
  )
}
