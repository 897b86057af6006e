import { GitBranch } from 'lucide-react'
import { useMemo } from 'react'
import type { TimelineSnapshot, TimelineStore } from '../../live/timeline-store.ts'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { FileList } from '../file-list.tsx'
import { collectBranches, type PushedBranch } from '../pushed-branches.ts'
import { TabPage } from '../tab-page.tsx'
import { WholeTimeline } from '../whole-timeline.tsx'

export function BranchesTab({
  timeline,
  store,
}: {
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
}) {
  const { events, hasEarlier } = timeline
  const branches = useMemo(() => collectBranches(events), [events])
  return (
    <TabPage label="Branches">
      <WholeTimeline timeline={timeline} store={store} />
      {branches.length === 0 && !hasEarlier && (
        <Card>
          <EmptyState title="Nothing pushed yet" icon={<GitBranch size={28} aria-hidden />}>
            Branches appear here when the agent pushes them.
          </EmptyState>
        </Card>
      )}
      {branches.map((branch) => (
        <Branch key={`${branch.repo} ${branch.ref}`} branch={branch} />
      ))}
    </TabPage>
  )
}

function Branch({ branch: { name, repo, pushes, files } }: { readonly branch: PushedBranch }) {
  return (
    <Card title={name} actions={<CopyButton text={name} label="Copy name" />}>
      <div className="flex flex-col gap-3 p-4 text-sm">
        <p className="break-all text-muted">{repo}</p>
        <div>
          <h3 className="text-xs font-semibold text-muted">
            {files.length === 1 ? '1 file' : `${files.length} files`}
          </h3>
          <FileList files={files} />
        </div>
        <div>
          <h3 className="text-xs font-semibold text-muted">
            {pushes.length === 1 ? '1 push' : `${pushes.length} pushes`}
          </h3>
          <ol className="mt-1 flex flex-col gap-0.5 text-xs">
            {pushes.map((push) => (
              <li key={push.sequence} className="flex flex-wrap gap-x-3">
                <code>{push.commit.slice(0, 12)}</code>
                <span>run {push.runId}</span>
                <Ago time={push.time} />
              </li>
            ))}
          </ol>
        </div>
      </div>
    </Card>
  )
}
