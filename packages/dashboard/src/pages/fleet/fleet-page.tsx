import { useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { ConnectionNotice } from '../../live/connection.tsx'
import { MAX_AGENTS } from '../../live/fleet-store.ts'
import { useWorkspaceTeams } from '../../catalog/workspace-teams.ts'
import { useFleet } from '../../live/use-fleet.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/card.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { buildTable, buildTree } from './build-rows.ts'
import { listAccounts } from './filters/choices.ts'
import { FilterBar } from './filters/filter-bar.tsx'
import { FilterChips } from './filters/filter-chips.tsx'
import { isNarrowed, matchItems, toFleetFilter } from './filters/fleet-filter.ts'
import { FleetCards } from './fleet-cards.tsx'
import { FleetGrid } from './grid/fleet-grid.tsx'
import { EmptyFleet, LoadingFleet } from './fleet-states.tsx'
import {
  addRecentlyEnded,
  endedLast,
  hasEnded,
  MAX_ENDED,
  showsRecent,
  toEndedFilter,
} from './recently-ended.ts'
import { compareItems, readSort } from './sort-items.ts'
import { SummaryStrip } from './summary-strip.tsx'
import { TreeActions } from './tree-actions.tsx'
import { useFleetSummary } from './use-fleet-summary.ts'
import { ViewSwitch } from './view-switch.tsx'

export function FleetPage() {
  const search = useSearch({ from: '/shell/' })
  const isWide = useMedia('(min-width: 48rem)')
  const fleet = useFleet(toFleetFilter(search))
  const summary = useFleetSummary(search, fleet.items)
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  // Deferred, so that sorting ten thousand rows doesn't block typing.
  const live = useDeferredValue(fleet.items)
  const hasRecent = showsRecent(search)
  const ended = useFleet(toEndedFilter(search), MAX_ENDED)
  // Rounded to minutes: this list need not be sorted every second.
  const nowMs = Math.floor(useNow() / 60_000) * 60_000
  const items = useMemo(
    () => (hasRecent ? addRecentlyEnded(live, ended.items, nowMs) : live),
    [live, ended.items, hasRecent, nowMs],
  )
  const isTree = search.view === 'tree'
  const rows = useMemo(() => {
    const compare = compareItems(readSort(search.sort))
    const choice = { isMatch: matchItems(search), compare: hasRecent ? endedLast(compare) : compare }
    return isTree ? buildTree(items, { ...choice, collapsed }) : buildTable(items, choice)
  }, [items, search, isTree, collapsed, hasRecent])
  const accounts = useMemo(() => listAccounts(items), [items])
  const teams = useWorkspaceTeams()
  const matches = useMemo(() => rows.filter(({ isMatch }) => isMatch), [rows])
  const recentCount = hasRecent ? matches.filter(({ item }) => hasEnded(item)).length : 0

  return (
    <>
      <ConnectionNotice state={fleet.connection} />
      <div className="flex min-w-0 flex-1 flex-col gap-4 p-4 lg:p-6">
        <PageHeader
          title="Fleet"
          description={
            fleet.isLoaded
              ? describeFleet(
                  matches.length - recentCount,
                  fleet.items.length,
                  isNarrowed(search),
                  fleet.isComplete,
                ) + describeRecent(recentCount)
              : 'Loading…'
          }
          actions={<ViewSwitch search={search} />}
        />
        <SummaryStrip search={search} summary={summary} />
        <div className="flex flex-col gap-2">
          <FilterBar
            search={search}
            accounts={accounts}
            workspaces={summary?.workspaces ?? []}
            teams={teams}
          />
          <FilterChips search={search} teams={teams} />
        </div>
        {fleet.error !== undefined && (
          <div className="flex flex-col items-start gap-2">
            <ErrorNotice error={fleet.error} className="w-full" />
            <Button onClick={fleet.retry}>Try again</Button>
          </div>
        )}
        {fleet.isCutOff && (
          <Notice tone="warning">
            Showing the newest {MAX_AGENTS.toLocaleString('en')} agents. Narrow the filter to find others.
          </Notice>
        )}
        {isTree && rows.length > 0 && (
          <TreeActions items={items} onCollapse={setCollapsed} hasCollapsed={collapsed.size > 0} />
        )}
        {!fleet.isLoaded && fleet.error === undefined && <LoadingFleet />}
        {fleet.isLoaded && rows.length === 0 && <EmptyFleet search={search} />}
        {rows.length > 0 &&
          (isWide ? (
            <FleetGrid rows={rows} search={search} collapsed={collapsed} onCollapse={setCollapsed} />
          ) : (
            <FleetCards rows={rows} isTree={isTree} />
          ))}
      </div>
    </>
  )
}

function describeFleet(shown: number, all: number, isFiltered: boolean, isComplete: boolean): string {
  const agents = all === 1 ? 'agent' : 'agents'
  const total = `${all.toLocaleString('en')}${isComplete ? '' : '+'} ${agents}`
  return isFiltered ? `${shown.toLocaleString('en')} of ${total}` : total
}

function describeRecent(count: number): string {
  return count === 0 ? '' : `, ${count.toLocaleString('en')} ended in the last hour`
}
