import type { Agent, Diff } from '@skein/client'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import type { Drive } from '../../../agent/drive.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { useMedia } from '../../../ui/use-media.ts'
import { useDiffFiles } from './change-queries.ts'
import { ChangedFiles } from './changed-files.tsx'
import { FileDiff } from './file-diff.tsx'

/** The files beside the selected one; on a narrow screen one after the other. */
export function DiffBoard({
  agent,
  diff: { diffId, fileCount },
  drive,
}: {
  readonly agent: Agent
  readonly diff: Diff
  readonly drive: Drive | undefined
}) {
  const { data, error, isFetching, refetch } = useDiffFiles(agent, diffId)
  const isWide = useMedia('(min-width: 64rem)')
  const [selected, setSelected] = useState<number>()
  if (error !== null) return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (data === undefined) return <p className="text-sm text-muted">Loading…</p>
  const { files } = data
  const file = files.find(({ index }) => index === selected) ?? (isWide ? files[0] : undefined)
  const list = <ChangedFiles files={files} selected={file?.index} onSelect={setSelected} />
  const shown = file !== undefined && (
    <FileDiff key={file.index} agent={agent} diffId={diffId} file={file} drive={drive} />
  )
  return (
    <>
      {files.length < fileCount && (
        <Notice>
          {`${(fileCount - files.length).toLocaleString('en')} more files are not listed. See all with: skein diff --fetch`}
        </Notice>
      )}
      {isWide ? (
        <div className="grid min-h-0 flex-1 grid-cols-[minmax(15rem,1fr)_3fr] gap-3">
          {list}
          {shown}
        </div>
      ) : file === undefined ? (
        <div className="min-h-0 flex-1">{list}</div>
      ) : (
        <>
          <div>
            <Button size="small" onClick={() => setSelected(undefined)}>
              <ArrowLeft size={14} aria-hidden />
              All files
            </Button>
          </div>
          <div className="min-h-0 flex-1">{shown}</div>
        </>
      )}
    </>
  )
}
