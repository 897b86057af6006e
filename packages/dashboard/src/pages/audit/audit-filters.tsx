import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { AuditSearch } from './audit-search.ts'
import { kindsQuery } from '../../catalog/catalog-queries.ts'

/** Typed text goes into the URL a moment after the last key. */
const SETTLE_MS = 300

export function AuditFilters({
  search,
  onChange,
}: {
  readonly search: AuditSearch
  readonly onChange: (change: Record<string, string>) => void
}) {
  const { data: kinds } = useQuery(kindsQuery)
  const typed = (label: string, field: 'operation' | 'name' | 'account') => (
    <SettledField
      label={label}
      value={search[field] ?? ''}
      onSettle={(text) => onChange({ [field]: text })}
    />
  )
  const date = (label: string, field: 'from' | 'to') => (
    <TextField
      label={label}
      type="date"
      value={search[field] ?? ''}
      onChange={({ target }) => onChange({ [field]: target.value })}
    />
  )
  const isNarrowed = Object.keys(search).length > 0
  return (
    <div className="grid grid-cols-2 items-end gap-3 border-b border-line p-3 md:grid-cols-[repeat(6,minmax(0,1fr))_auto]">
      {typed('Operation', 'operation')}
      <SelectField
        label="Kind"
        choices={[
          { value: '', label: 'All' },
          ...['agent', 'session', ...(kinds ?? []).map(({ kind }) => kind)].map((kind) => ({
            value: kind,
            label: kind,
          })),
        ]}
        value={search.kind ?? ''}
        onChange={({ target }) => onChange({ kind: target.value })}
      />
      {typed('Name', 'name')}
      {typed('Account', 'account')}
      {date('From', 'from')}
      {date('To', 'to')}
      <Button
        disabled={!isNarrowed}
        onClick={() => onChange({ operation: '', kind: '', name: '', account: '', from: '', to: '' })}
      >
        Clear
      </Button>
    </div>
  )
}

function SettledField({
  label,
  value,
  onSettle,
}: {
  readonly label: string
  readonly value: string
  readonly onSettle: (value: string) => void
}) {
  const [typed, setTyped] = useState({ text: value, of: value })
  // The URL was changed by something else: a link, or the clear button.
  if (typed.of !== value) setTyped({ text: value, of: value })
  useEffect(() => {
    if (typed.text === value) return
    const timer = setTimeout(() => onSettle(typed.text.trim()), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed.text, value, onSettle])
  return (
    <TextField
      label={label}
      autoComplete="off"
      spellCheck={false}
      value={typed.text}
      onChange={({ target }) => setTyped({ text: target.value, of: value })}
    />
  )
}
