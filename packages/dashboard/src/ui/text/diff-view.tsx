import { useMemo } from 'react'
import { classNames } from '../class-names.ts'
import { SIGNS } from './diff-signs.ts'
import { countChanges, diffTexts, type DiffRow } from './diff-texts.ts'

const LOOKS = { same: '', added: 'bg-completed-soft text-completed', removed: 'bg-failed-soft text-failed' }

/** A diff of two texts, with signs in addition to colours. */
export function DiffView({
  label,
  before,
  after,
}: {
  readonly label: string
  readonly before: string
  readonly after: string
}) {
  const rows = useMemo(() => diffTexts(before, after), [before, after])
  const { added, removed } = countChanges(rows)
  return (
    <figure className="min-w-0 rounded-lg border border-line">
      <figcaption className="flex flex-wrap justify-between gap-x-4 border-b border-line bg-raised px-3 py-1.5 text-xs text-muted">
        <span>{label}</span>
        <span className="tabular-nums">
          {added === 0 && removed === 0 ? 'No changes' : `${added} added, ${removed} removed`}
        </span>
      </figcaption>
      {(added > 0 || removed > 0) && (
        <div
          tabIndex={0}
          role="group"
          aria-label={label}
          className="max-h-[28dvh] overflow-auto py-1 font-mono text-xs"
        >
          {rows.map((row) => (
            <DiffLine key={row.id} row={row} />
          ))}
        </div>
      )}
    </figure>
  )
}

function DiffLine({ row }: { readonly row: DiffRow }) {
  if (row.type === 'gap') return <p className="px-3 py-0.5 text-muted">⋯ {row.count} unchanged lines</p>
  const { mark, name } = SIGNS[row.type]
  return (
    <div className={classNames('flex gap-2 px-3 leading-5', LOOKS[row.type])}>
      <span aria-hidden className="w-2.5 shrink-0 select-none">
        {mark}
      </span>
      {name !== '' && <span className="sr-only">{name}: </span>}
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        {row.text === '' ? ' ' : row.text}
      </span>
    </div>
  )
}
