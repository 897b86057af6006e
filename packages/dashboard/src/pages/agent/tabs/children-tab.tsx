import type { AgentStatus, FleetEntry, TimelineEvent } from '@skein/client'
import { isTerminal } from '@skein/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GitFork, Plus } from 'lucide-react'
import { useEffect } from 'react'
import { agentKey, agentLink, agentTitle } from '../../../format/agent-link.ts'
import { formatMoney } from '../../../format/money.ts'
import { buttonClasses } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/notice.tsx'
import { PhaseBadge } from '../../../ui/phase-badge.tsx'
import { Ago } from '../../../ui/time.tsx'
import { subtreeQuery } from '../subtree-query.ts'
import { TabPage } from '../tab-page.tsx'
import { Cell, Table } from '../table.tsx'

const COLUMNS = [
  { title: 'Agent' },
  { title: 'Phase' },
  { title: 'Asks' },
  { title: 'Tasks', isNumber: true },
  { title: 'Cost', isNumber: true },
  { title: 'Progress', isNumber: true },
]

/** All descendants, children before their own. */
export function ChildrenTab({
  status,
  events,
  canSpawn,
}: {
  readonly status: AgentStatus
  readonly events: readonly TimelineEvent[]
  readonly canSpawn: boolean
}) {
  const { agentId } = status
  const { data, error, isPending } = useQuery(subtreeQuery(agentId, { includeTerminal: true }))
  useFreshAt(events)
  const below = data?.filter((entry) => entry.agentId.agent.length > agentId.agent.length) ?? []
  return (
    <TabPage label="Children">
      <Card
        title="Children and their descendants"
        actions={canSpawn && !isTerminal(status.phase) && <SpawnLink agentId={agentId} />}
      >
        {error !== null && <ErrorNotice error={error} className="m-4" />}
        {isPending && <p className="p-6 text-center text-sm text-muted">Loading…</p>}
        {data !== undefined && below.length === 0 && (
          <EmptyState title="No children" icon={<GitFork size={28} aria-hidden />}>
            An agent may spawn children for parts of its work, and so may you.
          </EmptyState>
        )}
        {below.length > 0 && (
          <Table label="Children" columns={COLUMNS}>
            {below.map((entry) => (
              <ChildRow
                key={agentKey(entry.agentId)}
                entry={entry}
                depth={entry.agentId.agent.length - agentId.agent.length - 1}
              />
            ))}
          </Table>
        )}
      </Card>
    </TabPage>
  )
}

/** The query asks every few seconds; what the timeline tells about children need not wait. */
function useFreshAt(events: readonly TimelineEvent[]): void {
  const queries = useQueryClient()
  const newest = events.findLast(({ type }) => type.startsWith('child.'))?.sequence
  useEffect(() => {
    if (newest !== undefined) void queries.invalidateQueries({ queryKey: ['subtree'] })
  }, [newest, queries])
}

function SpawnLink({ agentId }: { readonly agentId: AgentStatus['agentId'] }) {
  const { provider, account } = agentLink(agentId).params
  return (
    <Link
      to="/spawn"
      search={{ parent: agentTitle(agentId), account, provider }}
      className={buttonClasses({ size: 'small' })}
    >
      <Plus size={14} aria-hidden />
      Spawn a child
    </Link>
  )
}

function ChildRow({ entry, depth }: { readonly entry: FleetEntry; readonly depth: number }) {
  const { agentId, phase, needsInput, openTasks, totalTasks, cost, progressAt } = entry
  return (
    <tr>
      <Cell>
        <span style={{ paddingLeft: `${depth * 1.25}rem` }} className="block max-w-64 truncate">
          <Link
            {...agentLink(agentId)}
            title={agentTitle(agentId)}
            className="font-medium text-accent-text underline"
          >
            {agentId.agent.at(-1)}
          </Link>
        </span>
      </Cell>
      <Cell>
        <PhaseBadge phase={phase} />
      </Cell>
      <Cell className="max-w-64">
        <span className="line-clamp-2 break-words" title={needsInput}>
          {needsInput}
        </span>
      </Cell>
      <Cell isNumber>{totalTasks === 0 ? '–' : `${totalTasks - openTasks}/${totalTasks}`}</Cell>
      <Cell isNumber>{formatMoney(cost)}</Cell>
      <Cell isNumber>
        <Ago time={progressAt} />
      </Cell>
    </tr>
  )
}
