import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

export function CountToggle({
  label,
  note,
  mark,
  count,
  isOn,
  isUrgent = false,
  onToggle,
}: {
  readonly label: string
  readonly note?: string | undefined
  readonly mark: ReactNode
  readonly count: number | undefined
  readonly isOn: boolean
  readonly isUrgent?: boolean
  readonly onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={classNames(
        'flex min-w-0 flex-col justify-center rounded-xl border px-2.5 py-2 text-left hover:border-line-strong max-sm:first:col-span-3',
        isOn ? 'border-accent-text bg-accent-soft ring-1 ring-accent-text' : 'border-line bg-surface',
      )}
    >
      <span
        className={classNames(
          'text-xl leading-tight font-semibold tabular-nums',
          isUrgent ? 'text-waiting' : count === 0 && 'text-muted',
        )}
      >
        {count === undefined ? '–' : count.toLocaleString('en')}
      </span>
      <span className="flex min-w-0 items-center gap-1.5 text-sm text-muted">
        {mark}
        <span className="truncate">{label}</span>
      </span>
      {note !== undefined && <span className="text-[0.7rem] text-muted max-sm:sr-only">{note}</span>}
    </button>
  )
}
