import { GitBranch } from 'lucide-react'
import { branchName } from '../pushed-branches.ts'
import { FileList } from '../file-list.tsx'
import { EventPlace } from './event-place.tsx'
import type { Push } from './items.ts'

export function PushItem({ item: { push, sequence, time } }: { readonly item: Push }) {
  return (
    <div className="min-w-0 rounded-lg border border-completed/30 bg-completed-soft px-3 py-2 text-xs">
      <div className="flex items-center gap-2">
        <GitBranch size={14} aria-hidden className="shrink-0 text-completed" />
        <span className="min-w-0 flex-1 break-words">
          Pushed <code className="font-semibold">{branchName(push.ref)}</code> at{' '}
          <code>{push.commit.slice(0, 10)}</code> <span className="break-all text-muted">to {push.repo}</span>
        </span>
        <EventPlace sequence={sequence} time={time} />
      </div>
      <FileList files={push.files} />
    </div>
  )
}
