import { Link } from '@tanstack/react-router'
import { Footprints } from 'lucide-react'
import { useMemo } from 'react'
import { formatCount, formatMoney } from '../../../format/money.ts'
import type { TimelineSnapshot, TimelineStore } from '../../../live/timeline-store.ts'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/notice.tsx'
import { Ago, Lasting } from '../../../ui/time.tsx'
import { describeEndReason } from '../../../agent/end-reasons.ts'
import { summarizeRuns, type RunSummary } from '../../../agent/run-summaries.ts'
import { TabPage } from '../../../agent/tab-page.tsx'
import { Cell, Table } from '../table.tsx'
import { WholeTimeline } from '../../../agent/whole-timeline.tsx'

const COLUMNS = [
  { title: 'Run' },
  { title: 'End' },
  { title: 'Started', isNumber: true },
  { title: 'Duration', isNumber: true },
  { title: 'Attempts', isNumber: true },
  { title: 'Tool calls', isNumber: true },
  { title: 'Tokens in', isNumber: true },
  { title: 'Cached', isNumber: true },
  { title: 'Tokens out', isNumber: true },
  { title: 'Cost', isNumber: true },
]

export function RunsTab({
  timeline,
  store,
}: {
  readonly timeline: TimelineSnapshot
  readonly store: TimelineStore
}) {
  const { events, hasEarlier } = timeline
  const runs = useMemo(() => summarizeRuns(events).toReversed(), [events])
  return (
    <TabPage label="Runs">
      <WholeTimeline timeline={timeline} store={store} />
      {(runs.length > 0 || !hasEarlier) && (
        <Card title={`Runs · ${runs.length}`}>
          {runs.length === 0 ? (
            <EmptyState title="No runs yet" icon={<Footprints size={28} aria-hidden />}>
              The first run starts when a runner picks up the agent.
            </EmptyState>
          ) : (
            <Table label="Runs" columns={COLUMNS}>
              {runs.map((run) => (
                <RunRow key={run.runId} run={run} />
              ))}
            </Table>
          )}
        </Card>
      )}
    </TabPage>
  )
}

function RunRow({ run }: { readonly run: RunSummary }) {
  return (
    <tr>
      <Cell>
        <Link
          from="/agents/$provider/$account/$workspace/$"
          search={{ event: run.sequence }}
          className="font-medium text-accent-text underline"
        >
          Run {run.runId}
        </Link>
      </Cell>
      <Cell className="whitespace-nowrap">{describeEndReason(run.endReason)}</Cell>
      <Cell isNumber>
        <Ago time={run.startTime} />
      </Cell>
      <Cell isNumber>
        <Lasting from={run.startTime} to={run.endTime} />
      </Cell>
      <Cell isNumber>{run.attempts}</Cell>
      <Cell isNumber>{run.toolCalls}</Cell>
      <Cell isNumber>{formatCount(String(run.inputTokens))}</Cell>
      <Cell isNumber>{formatCount(String(run.cachedInputTokens))}</Cell>
      <Cell isNumber>{formatCount(String(run.outputTokens))}</Cell>
      <Cell isNumber>{formatMoney(run.cost)}</Cell>
    </tr>
  )
}
