import { createColumnHelper, rowSortingFeature, tableFeatures } from '@tanstack/react-table'
import { formatCount, formatMoney } from '../../format/money.ts'
import { PhaseBadge } from '../../ui/phase-badge.tsx'
import { Ago, Lasting } from '../../ui/time.tsx'
import { AgentSays } from './agent-says.tsx'
import type { FleetRow } from './fleet-row.ts'
import { TaskProgress } from './task-progress.tsx'

// The page sorts by itself, because the tree sorts the children of each agent: see build-rows.ts.
export const FEATURES = tableFeatures({ rowSortingFeature })

const column = createColumnHelper<typeof FEATURES, FleetRow>()

/** Widths and what a narrow window does without. The column of the agent's name is drawn by the row. */
export const COLUMN_CLASSES: Readonly<Record<string, string>> = {
  agent: 'w-[24%]',
  phase: 'w-32',
  says: '',
  tasks: 'w-24 max-xl:hidden',
  cost: 'w-24 text-right',
  tokens: 'w-20 text-right max-xl:hidden',
  progress: 'w-28 text-right max-lg:hidden',
  age: 'w-24 text-right',
}

export const COLUMNS = column.columns([
  column.accessor(({ name }) => name, { id: 'agent', header: 'Agent', sortDescFirst: false }),
  column.accessor(({ item }) => item.entry.phase, {
    id: 'phase',
    header: 'Phase',
    sortDescFirst: false,
    cell: ({ getValue }) => <PhaseBadge phase={getValue()} />,
  }),
  column.accessor(({ item }) => item.entry, {
    id: 'says',
    header: 'Asks or says',
    enableSorting: false,
    cell: ({ getValue }) => <AgentSays entry={getValue()} />,
  }),
  column.accessor(({ item }) => item.entry, {
    id: 'tasks',
    header: 'Checklist',
    sortDescFirst: true,
    cell: ({ getValue }) => <TaskProgress entry={getValue()} />,
  }),
  column.accessor(({ item }) => item.entry.cost, {
    id: 'cost',
    header: 'Cost',
    sortDescFirst: true,
    cell: ({ getValue }) => formatMoney(getValue()),
  }),
  column.accessor(({ item }) => item.tokens, {
    id: 'tokens',
    header: 'Tokens',
    sortDescFirst: true,
    cell: ({ getValue }) => formatCount(getValue()),
  }),
  column.accessor(({ item }) => item.entry.progressAt, {
    id: 'progress',
    header: 'Progress',
    sortDescFirst: false,
    cell: ({ getValue }) => <Ago time={getValue()} />,
  }),
  column.accessor(({ item }) => item.entry.createTime, {
    id: 'age',
    header: 'Age',
    sortDescFirst: false,
    cell: ({ getValue }) => <Lasting from={getValue()} to="" />,
  }),
])
