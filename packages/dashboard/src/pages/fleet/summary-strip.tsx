import type { SummarizeFleetResponse } from '@skein/client'
import { PHASE_BY_NAME, type PhaseName } from '@skein/contract/facts'
import { MessageCircleQuestion } from 'lucide-react'
import { PhaseDot, PHASES } from '../../ui/phase-badge.tsx'
import { CountToggle } from './count-toggle.tsx'
import { searchPhases, togglePhase, type FleetSearch } from './fleet-search.ts'
import { SpendCard } from './spend/spend-card.tsx'
import { useChangeSearch } from './filters/use-change-search.ts'

const LIVE: readonly PhaseName[] = ['running', 'waiting', 'pending']
const ENDED: readonly PhaseName[] = ['completed', 'failed', 'canceled']

/** The fleet's counts. Clicking one filters by it. */
export function SummaryStrip({
  search,
  summary,
}: {
  readonly search: FleetSearch
  readonly summary: SummarizeFleetResponse | undefined
}) {
  const change = useChangeSearch()
  const chosen = searchPhases(search)
  const renderToggle = (name: PhaseName, when?: string) => (
    <CountToggle
      key={name}
      label={PHASES[PHASE_BY_NAME[name]].label}
      note={when}
      mark={<PhaseDot phase={PHASE_BY_NAME[name]} />}
      count={countAgents(summary, name)}
      isOn={chosen.includes(name)}
      onToggle={() => change((before) => togglePhase(before, name))}
    />
  )
  return (
    <section aria-label="Summary" className="grid gap-3 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div
        role="group"
        aria-label="Show only"
        className="grid grid-cols-3 gap-2 sm:grid-cols-4 lg:grid-cols-7 "
      >
        <CountToggle
          label="Asking"
          mark={<MessageCircleQuestion size={14} aria-hidden className="text-waiting" />}
          count={summary?.needsInput}
          isOn={search.asks === true}
          isUrgent={(summary?.needsInput ?? 0) > 0}
          onToggle={() => change((before) => ({ ...before, asks: before.asks === true ? undefined : true }))}
        />
        {LIVE.map((name) => renderToggle(name))}
        {ENDED.map((name) => renderToggle(name, 'last 24 h'))}
      </div>
      <SpendCard summary={summary} />
    </section>
  )
}

/** Asking agents are also waiting, but are counted once. */
function countAgents(summary: SummarizeFleetResponse | undefined, name: PhaseName): number | undefined {
  const agents = summary?.phases.find(({ phase }) => phase === PHASE_BY_NAME[name])?.agents
  if (summary === undefined || agents === undefined || name !== 'waiting') return agents
  return Math.max(0, agents - summary.needsInput)
}
