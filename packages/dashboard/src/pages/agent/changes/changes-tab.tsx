import type { Agent, AgentStatus, Diff } from '@skein/client'
import { FileDiff as FileDiffIcon } from 'lucide-react'
import { useState } from 'react'
import type { Drive } from '../../../agent/drive.ts'
import { TabPage } from '../../../agent/tab-page.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { EmptyState, Notice } from '../../../ui/notice.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { Ago } from '../../../ui/time.tsx'
import { useDiffs } from './change-queries.ts'
import { countFiles, describeDiff } from './describe-diff.ts'
import { DiffBoard } from './diff-board.tsx'

/** What the agent pushed: choose a branch or a push, then a file. */
export function ChangesTab({
  agent,
  status,
  drive,
}: {
  readonly agent: Agent
  readonly status: AgentStatus
  readonly drive: Drive | undefined
}) {
  const { data: diffs, error, isFetching, refetch, hasMissing } = useDiffs(agent, status)
  const [chosen, setChosen] = useState('')
  if (diffs === undefined || diffs.length === 0) {
    return (
      <TabPage label="Changes">
        {error !== null && <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
        {diffs !== undefined && <NoChanges hasPushed={hasMissing} />}
      </TabPage>
    )
  }
  // A branch as a whole unless somebody chose a push. A chosen one may have been replaced by now.
  const diff =
    diffs.find(({ diffId }) => diffId === chosen) ?? diffs.find(({ scope }) => scope === 'branch') ?? diffs[0]
  return (
    <div role="region" aria-label="Changes" className="flex h-full min-h-0 min-w-0 flex-col gap-3 px-4 pb-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="max-w-full min-w-56">
          <SelectField
            label="What to compare"
            isLabelHidden
            choices={diffs.map((each) => ({ value: each.diffId, label: describeDiff(each) }))}
            value={diff?.diffId}
            onChange={(change) => setChosen(change.target.value)}
          />
        </div>
        {diff !== undefined && <Sum diff={diff} />}
      </div>
      {hasMissing && <Notice>The newest push is not here yet.</Notice>}
      {diff !== undefined && (
        <DiffBoard
          key={diff.diffId}
          agent={agent}
          diff={diff}
          drive={status.endTime === '' ? drive : undefined}
        />
      )}
    </div>
  )
}

function Sum({ diff: { fileCount, added, removed, commit, createTime } }: { readonly diff: Diff }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-xs">
      <span>{countFiles(fileCount)}</span>
      <span className="tabular-nums">
        <span className="text-completed">+{added}</span> <span className="text-failed">−{removed}</span>
      </span>
      <code className="text-muted">{commit.slice(0, 12)}</code>
      <span className="text-muted">
        <Ago time={createTime} />
      </span>
    </p>
  )
}

function NoChanges({ hasPushed }: { readonly hasPushed: boolean }) {
  return (
    <Card>
      <EmptyState
        title={hasPushed ? 'No diff recorded yet' : 'Nothing pushed yet'}
        icon={<FileDiffIcon size={28} aria-hidden />}
      >
        {hasPushed
          ? 'It appears a moment after the push. If it does not, its runner is too old: use skein diff --fetch.'
          : 'What the agent changed appears here when it pushes its branch.'}
      </EmptyState>
    </Card>
  )
}
