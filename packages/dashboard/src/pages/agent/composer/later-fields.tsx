import { choicesOf, SelectField, TextField } from '../../../ui/field.tsx'
import { useNow } from '../../../ui/time.tsx'
import { MAX_DEFER_DAYS, toLocalTime } from './delivery.ts'

export interface LaterChoice {
  /** Minutes from now, or `at`. */
  readonly minutes: string
  readonly localTime: string
}

const SPANS = choicesOf({
  10: 'in 10 minutes',
  30: 'in 30 minutes',
  60: 'in 1 hour',
  240: 'in 4 hours',
  1440: 'in 1 day',
  10080: 'in 7 days',
  at: 'at a time…',
})

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
