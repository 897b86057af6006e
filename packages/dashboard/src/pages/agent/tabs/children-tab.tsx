import { formatAgentName, isTerminal, type AgentStatus } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { GitFork, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { agentKey, agentLink } from '../../../format/agent-link.ts'
import { useFleet } from '../../../live/use-fleet.ts'
import { Button, buttonClasses } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/notice.tsx'
import { orderTree } from '../order-tree.ts'
import { TabPage } from '../../../agent/tab-page.tsx'
import { Table } from '../table.tsx'
import { CHILD_COLUMNS, ChildRow } from './child-row.tsx'

/** For more, use the fleet. */
const MAX_SHOWN = 200

/** All descendants, live, parents before their children. */
export function ChildrenTab({
  status,
  canSpawn,
}: {
  readonly status: AgentStatus
  readonly canSpawn: boolean
}) {
  const { agentId } = status
  const level = agentId.agent.length
  const fleet = useFleet({ under: agentId, account: '*', includeTerminal: true }, MAX_SHOWN)
  const below = useMemo(
    () =>
      orderTree(fleet.items.map(({ entry }) => entry).filter((entry) => entry.agentId.agent.length > level)),
    [fleet.items, level],
  )
  return (
    <TabPage label="Children">
      <Card
        title="Children and their descendants"
        actions={canSpawn && !isTerminal(status.phase) && <SpawnLink agentId={agentId} />}
      >
        {fleet.error !== undefined && (
          <div className="flex flex-col items-start gap-2 p-4">
            <ErrorNotice error={fleet.error} className="w-full" />
            <Button onClick={fleet.retry}>Try again</Button>
          </div>
        )}
        {!fleet.isLoaded && fleet.error === undefined && (
          <p className="p-6 text-center text-sm text-muted">Loading…</p>
        )}
        {fleet.isLoaded && below.length === 0 && (
          <EmptyState title="No children" icon={<GitFork size={28} aria-hidden />}>
            Agents can spawn children for parts of their work. You can too.
          </EmptyState>
        )}
        {below.length > 0 && (
          <Table label="Children" columns={CHILD_COLUMNS}>
            {below.slice(0, MAX_SHOWN).map((entry) => (
              <ChildRow
                key={agentKey(entry.agentId)}
                entry={entry}
                depth={entry.agentId.agent.length - level - 1}
              />
            ))}
          </Table>
        )}
        {below.length > MAX_SHOWN && <MoreNote status={status} />}
      </Card>
    </TabPage>
  )
}

function MoreNote({ status: { agentId } }: { readonly status: AgentStatus }) {
  return (
    <p className="border-t border-line px-4 py-2.5 text-sm text-muted">
      These are the first {MAX_SHOWN}.{' '}
      <Link
        to="/"
        search={{ view: 'tree', text: `${formatAgentName(agentId)}/`, ended: true }}
        className="text-accent-text underline"
      >
        See all in the fleet
      </Link>
    </p>
  )
}

function SpawnLink({ agentId }: { readonly agentId: AgentStatus['agentId'] }) {
  const { provider, account } = agentLink(agentId).params
  return (
    <Link
      to="/spawn"
      search={{ parent: formatAgentName(agentId), account, provider }}
      className={buttonClasses({ size: 'small' })}
    >
      <Plus size={14} aria-hidden />
      Spawn a child
    </Link>
  )
}
