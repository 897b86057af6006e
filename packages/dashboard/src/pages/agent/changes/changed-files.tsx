import type { DiffFile } from '@skein/client'
import { classNames } from '../../../ui/class-names.ts'
import { useVirtualRows } from '../../../ui/use-virtual-rows.ts'
import { CHANGE_MARKS } from './describe-diff.ts'
import { showHidden } from './visible-text.ts'

const ROW_HEIGHT = 32

const MARK_CLASSES: Readonly<Record<DiffFile['change'], string>> = {
  added: 'text-completed',
  deleted: 'text-failed',
  modified: 'text-muted',
  renamed: 'text-running',
  'type-changed': 'text-waiting',
}

/** Only visible rows are rendered: there can be a thousand. */
export function ChangedFiles({
  files,
  selected,
  onSelect,
}: {
  readonly files: readonly DiffFile[]
  readonly selected: number | undefined
  readonly onSelect: (index: number) => void
}) {
  const { scrolled, virtualizer } = useVirtualRows(files.length, ROW_HEIGHT, 8)
  return (
    <div
      ref={scrolled}
      role="region"
      aria-label="Changed files"
      tabIndex={0}
      className="h-full min-h-0 overflow-y-auto rounded-xl border border-line bg-surface"
    >
      <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const file = files[index]
          return (
            file !== undefined && (
              <li
                key={file.index}
                aria-setsize={files.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0"
                style={{ top: start, height: ROW_HEIGHT }}
              >
                <FileButton file={file} isSelected={file.index === selected} onSelect={onSelect} />
              </li>
            )
          )
        })}
      </ol>
    </div>
  )
}

function FileButton({
  file: { index, path, oldPath, change, kind, added, removed },
  isSelected,
  onSelect,
}: {
  readonly file: DiffFile
  readonly isSelected: boolean
  readonly onSelect: (index: number) => void
}) {
  const { mark, name } = CHANGE_MARKS[change]
  const shown = showHidden(path)
  return (
    <button
      type="button"
      aria-current={isSelected || undefined}
      onClick={() => onSelect(index)}
      title={oldPath === '' ? shown : `${showHidden(oldPath)} → ${shown}`}
      className={classNames(
        'flex size-full items-center gap-2 px-3 text-left text-xs',
        isSelected ? 'bg-accent-soft' : 'hover:bg-raised',
      )}
    >
      <span aria-hidden className={classNames('w-3 shrink-0 font-mono font-semibold', MARK_CLASSES[change])}>
        {mark}
      </span>
      <span className="sr-only">{name}: </span>
      {/* The end of a path says more than its beginning. */}
      <span dir="rtl" className="min-w-0 flex-1 truncate text-left font-mono">
        <bdi dir="ltr">{shown}</bdi>
      </span>
      {kind === 'binary' ? (
        <span className="shrink-0 text-muted">binary</span>
      ) : (
        <span className="shrink-0 tabular-nums">
          <span className="text-completed">+{added}</span> <span className="text-failed">−{removed}</span>
        </span>
      )}
    </button>
  )
}
