import { useMemo } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { SIGNS } from '../../../ui/text/diff-signs.ts'
import { useVirtualRows } from '../../../ui/use-virtual-rows.ts'
import type { LinePlace } from './comment-form.tsx'
import { LineText } from './highlight/line-text.tsx'
import { useHighlight, type Highlight } from './highlight/use-highlight.ts'
import { parsePatch, type PatchLine } from './parse-patch.ts'
import { showHidden } from './visible-text.ts'

const LINE_HEIGHT = 20
/** A line of a megabyte would block the page. */
const MAX_SHOWN = 1_000

const LOOKS = {
  hunk: { mark: '', name: '', classes: 'bg-raised text-muted' },
  same: { ...SIGNS.same, classes: '' },
  added: { ...SIGNS.added, classes: 'bg-completed-soft' },
  removed: { ...SIGNS.removed, classes: 'bg-failed-soft' },
  note: { mark: '', name: '', classes: 'text-muted italic' },
} as const

/** One file's changes. All lines have the same height, and only visible ones are rendered. */
export function PatchView({
  label,
  path,
  patch,
  onComment,
}: {
  readonly label: string
  /** Its end says which language it is. */
  readonly path: string
  readonly patch: string
  /** Absent if the reader cannot comment. */
  readonly onComment: ((place: LinePlace) => void) | undefined
}) {
  const highlight = useHighlight(path)
  const lines = useMemo(() => parsePatch(patch), [patch])
  const widest = useMemo(() => findWidest(lines), [lines])
  const { scrolled, virtualizer } = useVirtualRows(lines.length, LINE_HEIGHT, 20)
  return (
    <div
      ref={scrolled}
      role="region"
      aria-label={label}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto font-mono text-xs leading-5 [tab-size:4]"
    >
      <div
        className="relative"
        style={{ height: virtualizer.getTotalSize(), minWidth: `calc(${widest}ch + 8rem)` }}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const line = lines[index]
          return (
            line !== undefined && (
              <Line key={index} line={line} top={start} highlight={highlight} onComment={onComment} />
            )
          )
        })}
      </div>
    </div>
  )
}

function Line({
  line,
  top,
  highlight,
  onComment,
}: {
  readonly line: PatchLine
  readonly top: number
  readonly highlight: Highlight
  readonly onComment: ((place: LinePlace) => void) | undefined
}) {
  const { mark, name, classes } = LOOKS[line.type]
  const { text, more } = cutLine(line.text)
  return (
    <div
      className={classNames('absolute inset-x-0 flex whitespace-pre', classes)}
      style={{ top, height: LINE_HEIGHT }}
    >
      <LineNumbers line={line} onComment={onComment} />
      <span aria-hidden className="w-4 shrink-0 text-center select-none">
        {mark}
      </span>
      {name !== '' && <span className="sr-only">{name}: </span>}
      {line.type === 'hunk' || line.type === 'note' ? (
        <span>{text}</span>
      ) : (
        <LineText text={text} highlight={highlight} />
      )}
      {more > 0 && (
        <span className="pl-2 font-sans text-muted">… and {more.toLocaleString('en')} more characters</span>
      )}
    </div>
  )
}

const NUMBER = 'w-12 shrink-0 pr-2 text-right tabular-nums select-none'

/** The number that says where the line is now is the button for a comment. */
function LineNumbers({
  line: { before, after },
  onComment,
}: {
  readonly line: PatchLine
  readonly onComment: ((place: LinePlace) => void) | undefined
}) {
  const isRemoved = before !== undefined && after === undefined
  return (
    <>
      {isRemoved ? (
        <NumberCell side="before" line={before} onComment={onComment} />
      ) : (
        <span aria-hidden className={classNames(NUMBER, 'max-sm:hidden')}>
          {before}
        </span>
      )}
      {after === undefined ? (
        <span className={classNames(NUMBER, isRemoved && 'max-sm:hidden')} />
      ) : (
        <NumberCell side="after" line={after} onComment={onComment} />
      )}
    </>
  )
}

function NumberCell({
  side,
  line,
  onComment,
}: LinePlace & { readonly onComment: ((place: LinePlace) => void) | undefined }) {
  if (onComment === undefined) {
    return (
      <span aria-hidden className={NUMBER}>
        {line}
      </span>
    )
  }
  return (
    <button
      type="button"
      aria-label={side === 'after' ? `Comment on line ${line}` : `Comment on removed line ${line}`}
      title="Comment"
      onClick={() => onComment({ side, line })}
      className={classNames(NUMBER, 'hover:bg-accent-soft hover:text-accent-text')}
    >
      {line}
    </button>
  )
}

function cutLine(text: string): { readonly text: string; readonly more: number } {
  const shown = showHidden(text.slice(0, MAX_SHOWN).replace(/\r$/, ''))
  return { text: shown, more: Math.max(0, text.length - MAX_SHOWN) }
}

/** In characters, so that every line's background reaches the end of the longest. */
function findWidest(lines: readonly PatchLine[]): number {
  let widest = 0
  for (const { text } of lines) {
    const tabs = text.length > MAX_SHOWN ? 40 : text.split('\t').length - 1
    widest = Math.max(widest, Math.min(text.length, MAX_SHOWN) + 3 * tabs)
  }
  return widest
}
