import type { Resource } from '@skein/client'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy-button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { Theirs } from '../dialogs/conflict-dialog.tsx'

/** Notices before editing. */
export function EditorNotices({
  kind,
  resource,
  canWrite,
  isCustomising,
  onCustomise,
  hasNewer,
  onShowNewer,
  merging,
  onEndMerging,
}: {
  readonly kind: string
  readonly resource: Resource | null
  readonly canWrite: boolean
  readonly isCustomising: boolean
  readonly onCustomise: () => void
  readonly hasNewer: boolean
  readonly onShowNewer: () => void
  readonly merging: Theirs | undefined
  readonly onEndMerging: () => void
}) {
  return (
    <>
      {!canWrite && <Notice>You can read the catalog. Admins can change it.</Notice>}
      {canWrite && resource?.isBuiltIn === true && (
        <Notice className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0">
            {isCustomising
              ? `When you save, your own ${kind} replaces the built-in. Delete it to get the built-in back.`
              : 'This resource ships with Skein.'}
          </p>
          {!isCustomising && (
            <Button size="small" onClick={onCustomise}>
              Customise
            </Button>
          )}
        </Notice>
      )}
      {hasNewer && (
        <Notice tone="warning" className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0">Someone else saved a newer generation while you were editing.</p>
          <Button size="small" onClick={onShowNewer}>
            See what changed
          </Button>
        </Notice>
      )}
      {merging !== undefined && (
        <Notice className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0">
              Your text is below, unchanged. Copy what you want to keep from generation {merging.generation},
              then save to replace it.
            </p>
            <Button size="small" onClick={onEndMerging}>
              Hide
            </Button>
          </div>
          <CodeBlock label={`Generation ${merging.generation} (current)`} text={merging.text} />
        </Notice>
      )}
    </>
  )
}
