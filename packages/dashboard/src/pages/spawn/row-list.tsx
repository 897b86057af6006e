import { Plus, X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'

/** Rows that can be added and removed. A new row gets the focus; after a removal, the add button does. */
export function RowList<Row extends { readonly key: string }>({
  label,
  itemName,
  hint,
  error,
  addLabel,
  rows,
  onAdd,
  onRemove,
  renderRow,
}: {
  readonly label: string
  readonly itemName: string
  readonly hint: string
  readonly error: string | undefined
  readonly addLabel: string
  readonly rows: readonly Row[]
  readonly onAdd: () => void
  readonly onRemove: (key: string) => void
  readonly renderRow: (row: Row, position: number) => ReactNode
}) {
  const list = useRef<HTMLUListElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const shown = useRef(rows.length)
  useEffect(() => {
    if (rows.length > shown.current) list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()
    if (rows.length < shown.current) addButton.current?.focus()
    shown.current = rows.length
  }, [rows.length])
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {rows.length > 0 && (
        <ul ref={list} className="flex flex-col gap-2">
          {rows.map((row, index) => (
            <li key={row.key} className="flex items-center gap-1.5">
              <div className="flex min-w-0 flex-1 gap-1.5">{renderRow(row, index + 1)}</div>
              <IconButton label={`Remove ${itemName} ${index + 1}`} onClick={() => onRemove(row.key)}>
                <X size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button ref={addButton} size="small" onClick={onAdd}>
          <Plus size={14} aria-hidden />
          {addLabel}
        </Button>
        <p className="min-w-0 text-xs text-muted">{hint}</p>
      </div>
      {error !== undefined && (
        <p role="alert" className="text-xs font-medium text-failed">
          {error}
        </p>
      )}
    </fieldset>
  )
}
