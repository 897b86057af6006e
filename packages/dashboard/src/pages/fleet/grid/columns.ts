import { createColumnHelper, rowSortingFeature, tableFeatures } from '@tanstack/react-table'
import type { FleetRow } from '../fleet-row.ts'

// Sorting is done by the page, because the tree sorts the children of each agent: see build-rows.ts.
export const FEATURES = tableFeatures({ rowSortingFeature })

const column = createColumnHelper<typeof FEATURES, FleetRow>()

/** Widths, and what is hidden in a narrow window. */
export const COLUMN_CLASSES = {
  agent: 'w-[24%]',
  phase: 'w-32',
  says: '',
  pull: 'w-32',
  tasks: 'w-24 max-xl:hidden',
  cost: 'w-24 text-right',
  tokens: 'w-20 text-right max-xl:hidden',
  progress: 'w-28 text-right max-lg:hidden',
  age: 'w-24 text-right',
} as const

/** The header's columns. Rows render their own cells, which is cheaper: see fleet-line.tsx. */
export const COLUMNS = column.columns([
  column.accessor(({ name }) => name, { id: 'agent', header: 'Agent', sortDescFirst: false }),
  column.accessor(({ item }) => item.entry.phase, { id: 'phase', header: 'Phase', sortDescFirst: false }),
  column.accessor(({ item }) => item.entry, {
    id: 'says',
    header: 'Question or message',
    enableSorting: false,
  }),
  column.accessor(({ item }) => item.key, { id: 'pull', header: 'Pull request', enableSorting: false }),
  column.accessor(({ item }) => item.entry, { id: 'tasks', header: 'Checklist', sortDescFirst: true }),
  column.accessor(({ item }) => item.entry.cost, { id: 'cost', header: 'Cost', sortDescFirst: true }),
  column.accessor(({ item }) => item.tokens, { id: 'tokens', header: 'Tokens', sortDescFirst: true }),
  column.accessor(({ item }) => item.progressMs, {
    id: 'progress',
    header: 'Progress',
    sortDescFirst: false,
  }),
  column.accessor(({ item }) => item.createMs, { id: 'age', header: 'Age', sortDescFirst: false }),
])

/** For a fleet without pull requests. */
export const COLUMNS_WITHOUT_PULLS = COLUMNS.filter(({ id }) => id !== 'pull')
