import type { Agent, DiffFile } from '@skein/client'
import { useState } from 'react'
import type { Drive } from '../../../agent/drive.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { usePatch } from './change-queries.ts'
import { CommentForm, type LinePlace } from './comment-form.tsx'
import { explainEmpty } from './describe-diff.ts'
import { PatchView } from './patch-view.tsx'
import { showHidden } from './visible-text.ts'

export function FileDiff({
  agent,
  diffId,
  file,
  drive,
}: {
  readonly agent: Agent
  readonly diffId: string
  readonly file: DiffFile
  readonly drive: Drive | undefined
}) {
  const [place, setPlace] = useState<LinePlace>()
  const { path, oldPath } = file
  const shown = showHidden(path)
  const empty = explainEmpty(file)
  return (
    <section
      aria-label={shown}
      className="flex h-full min-h-0 min-w-0 flex-col rounded-xl border border-line bg-surface"
    >
      <header className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <h3 className="min-w-0 font-mono text-xs break-all">
          {oldPath !== '' && <span className="text-muted">{showHidden(oldPath)} → </span>}
          {shown}
        </h3>
        <CopyButton text={path} label="Copy path" />
      </header>
      {empty === undefined ? (
        <Patch
          agent={agent}
          diffId={diffId}
          file={file}
          label={`Changes in ${shown}`}
          onComment={drive === undefined ? undefined : setPlace}
        />
      ) : (
        <p className="p-4 text-sm text-muted">{empty}</p>
      )}
      {drive !== undefined && place !== undefined && (
        <CommentForm
          key={`${place.side} ${place.line}`}
          drive={drive}
          diffId={diffId}
          file={file.index}
          place={place}
          onClose={() => setPlace(undefined)}
        />
      )}
    </section>
  )
}

function Patch({
  agent,
  diffId,
  file,
  label,
  onComment,
}: {
  readonly agent: Agent
  readonly diffId: string
  readonly file: DiffFile
  readonly label: string
  readonly onComment: ((place: LinePlace) => void) | undefined
}) {
  const { data, error, isFetching, refetch } = usePatch(agent, diffId, file.index)
  if (error !== null)
    return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} className="m-3" />
  if (data === undefined) return <p className="p-4 text-sm text-muted">Loading…</p>
  return <PatchView label={label} path={file.path} patch={data} onComment={onComment} />
}
