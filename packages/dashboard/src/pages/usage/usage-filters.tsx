import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { submitting } from '../../ui/submitting.ts'
import { GROUPINGS, PERIODS, type UsageSearch } from './usage-search.ts'

const CONTROL = 'rounded-md border border-line-strong bg-surface px-2 py-1.5 text-sm'

/** How far back, and what is added up together. */
export function UsageFilters({
  search: { period = '24h', by = 'workspace', label = '' },
  onChange,
}: {
  readonly search: UsageSearch
  readonly onChange: (part: Record<string, string>) => void
}) {
  const [typed, setTyped] = useState(label)
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={submitting(() => onChange({ label: typed.trim() }))}
    >
      <label className="flex flex-col gap-1 text-xs text-muted">
        Period
        <select
          className={CONTROL}
          value={period}
          onChange={({ target }) => onChange({ period: target.value })}
        >
          {PERIODS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label className="flex flex-col gap-1 text-xs text-muted">
        Stacked by
        <select className={CONTROL} value={by} onChange={({ target }) => onChange({ by: target.value })}>
          {GROUPINGS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {by === 'label' && (
        <>
          <label className="flex flex-col gap-1 text-xs text-muted">
            Label
            <input
              className={CONTROL}
              value={typed}
              maxLength={63}
              placeholder="project"
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          <Button type="submit">Show</Button>
        </>
      )}
    </form>
  )
}
