import { formatAgentName } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { agentKey } from '../../../format/agent-link.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { AgentBadge } from '../../../ui/phase-badge.tsx'
import { useChange } from '../../../agent/drive.ts'
import type { AgentDialogProps } from './agent-dialog.ts'
import { liveSubtreeQuery, type LiveSubtree } from '../live-subtree-query.ts'

/** Lists the live agents that will be killed. */
export function KillDialog({ status, drive, onClose }: AgentDialogProps) {
  const preview = useQuery(liveSubtreeQuery(status.agentId))
  const kill = useChange(drive, () => drive.agent.kill(), {
    done: 'Agent killed.',
    onDone: onClose,
    isErrorShown: true,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Kill ${formatAgentName(status.agentId)}?`}
      description="Ends the agent and all its descendants. Pushed work stays, and the agent can be continued later."
      confirmLabel={nameKill(preview.data)}
      isBusy={kill.isPending || preview.isPending}
      onConfirm={() => kill.mutate()}
    >
      {preview.isPending && (
        <p role="status" className="text-sm text-muted">
          Looking for its descendants…
        </p>
      )}
      {preview.isError && <ErrorNotice error={preview.error} />}
      {preview.data !== undefined && <Victims subtree={preview.data} />}
      {kill.isError && <ErrorNotice error={kill.error} />}
    </ConfirmDialog>
  )
}

function nameKill(subtree: LiveSubtree | undefined): string {
  if (subtree === undefined || subtree.entries.length <= 1) return 'Kill this agent'
  return subtree.hasMore ? 'Kill them all' : `Kill ${subtree.entries.length} agents`
}

/** A longer list wouldn't help. */
const SHOWN = 100

function Victims({ subtree: { entries, hasMore } }: { readonly subtree: LiveSubtree }) {
  const count = entries.length.toLocaleString('en')
  return (
    <div className="min-h-0">
      <p className="mb-1.5 text-sm font-medium">
        {hasMore
          ? `More than ${count} live agents will end:`
          : entries.length === 1
            ? 'One live agent will end:'
            : `${count} live agents will end:`}
      </p>
      <ul
        tabIndex={0}
        aria-label="Agents that will end"
        className="max-h-60 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      >
        {entries.slice(0, SHOWN).map((entry) => (
          <li
            key={agentKey(entry.agentId)}
            className="flex items-center justify-between gap-3 px-3 py-1.5 text-sm"
          >
            <span className="min-w-0 truncate" title={formatAgentName(entry.agentId)}>
              {formatAgentName(entry.agentId)}
            </span>
            <AgentBadge entry={entry} />
          </li>
        ))}
      </ul>
      {entries.length > SHOWN && (
        <p className="mt-1 text-xs text-muted">
          {hasMore ? 'and many more' : `and ${entries.length - SHOWN} more`}
        </p>
      )}
    </div>
  )
}
