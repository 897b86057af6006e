import type { ResourceVersion } from '@skein/client'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Ago } from '../../../ui/time.tsx'
import { DiffView } from '../../../ui/text/diff-view.tsx'
import { formatEditable, type EditedKind } from '../../../catalog/resource-text.ts'

export type Version = ResourceVersion

const ACTIONS = {
  ACTION_UNSPECIFIED: 'Written',
  ACTION_CREATED: 'Created',
  ACTION_UPDATED: 'Changed',
  ACTION_DELETED: 'Deleted',
} as const satisfies Record<Version['action'], string>

/** One generation, with its changes. */
export function VersionEntry({
  kind,
  version,
  previous,
  isCurrent,
  canRestore,
  onRestore,
}: {
  readonly kind: EditedKind
  readonly version: Version
  readonly previous: Version | undefined
  readonly isCurrent: boolean
  readonly canRestore: boolean
  readonly onRestore: () => void
}) {
  const [isShown, setIsShown] = useState(isCurrent)
  const { generation, action, updatedBy, updateTime, justification } = version
  return (
    <li className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 text-sm">
          <p>
            <strong className="font-semibold">Generation {generation}</strong>
            {isCurrent && (
              <span className="ml-2 rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium text-accent-text">
                current
              </span>
            )}
          </p>
          <p className="mt-0.5 text-muted">
            {ACTIONS[action]} by {updatedBy}, <Ago time={updateTime} />
          </p>
          {justification !== '' && <p className="mt-1 break-words">“{justification}”</p>}
        </div>
        <div className="flex gap-2">
          <Button size="small" look="quiet" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
            {isShown ? 'Hide changes' : 'Show changes'}
          </Button>
          {canRestore && !isCurrent && (
            <Button size="small" onClick={onRestore}>
              Restore
              <span className="sr-only"> generation {generation}</span>
            </Button>
          )}
        </div>
      </div>
      {isShown && (
        <DiffView
          label={
            previous === undefined
              ? `Generation ${generation}`
              : `From generation ${previous.generation} to ${generation}`
          }
          before={formatVersion(kind, previous)}
          after={formatVersion(kind, version)}
        />
      )}
    </li>
  )
}

function formatVersion(kind: EditedKind, version: Version | undefined): string {
  if (version === undefined || version.action === 'ACTION_DELETED') return ''
  return formatEditable(kind, version.document)
}
