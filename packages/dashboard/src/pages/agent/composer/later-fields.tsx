import { SelectField, TextField } from '../../../ui/field.tsx'
import { useNow } from '../../../ui/time.tsx'
import { MAX_DEFER_DAYS, toLocalTime } from './delivery.ts'

export interface LaterChoice {
  /** Minutes from now, or `at`. */
  readonly minutes: string
  readonly localTime: string
}

const SPANS = [
  { value: '10', label: 'in 10 minutes' },
  { value: '30', label: 'in 30 minutes' },
  { value: '60', label: 'in 1 hour' },
  { value: '240', label: 'in 4 hours' },
  { value: '1440', label: 'in 1 day' },
  { value: '10080', label: 'in 7 days' },
  { value: 'at', label: 'at a time…' },
]

/** When a deferred message joins the queue. */
export function LaterFields({
  choice,
  onChange,
  problem,
}: {
  readonly choice: LaterChoice
  readonly onChange: (choice: LaterChoice) => void
  readonly problem: string
}) {
  const now = useNow()
  return (
    <div className="flex flex-wrap gap-2">
      <SelectField
        label="Deliver"
        isLabelHidden
        choices={SPANS}
        value={choice.minutes}
        onChange={({ target }) =>
          onChange({ minutes: target.value, localTime: choice.localTime || toLocalTime(now + 3_600_000) })
        }
      />
      {choice.minutes === 'at' && (
        <TextField
          label="Time"
          isLabelHidden
          type="datetime-local"
          value={choice.localTime}
          min={toLocalTime(now)}
          max={toLocalTime(now + MAX_DEFER_DAYS * 86_400_000)}
          error={problem}
          onChange={({ target }) => onChange({ ...choice, localTime: target.value })}
        />
      )}
    </div>
  )
}
