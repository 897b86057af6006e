import { isAsking, type Phase } from '@skein/client'
import type { FleetItem } from '../../live/fleet-item.ts'

export const SORT_COLUMNS = ['agent', 'phase', 'cost', 'tokens', 'tasks', 'progress', 'age'] as const
type SortColumn = (typeof SORT_COLUMNS)[number]

export interface Sort {
  readonly column: SortColumn
  readonly isDescending: boolean
}

/** Asking agents first, then the newest. */
export const DEFAULT_SORT: Sort = { column: 'age', isDescending: false }

/** Agents that need attention come before working ones, and those before ended ones. */
const PHASE_RANKS: Record<Phase, number> = {
  PHASE_WAITING: 0,
  PHASE_RUNNING: 1,
  PHASE_PENDING: 2,
  PHASE_FAILED: 3,
  PHASE_COMPLETED: 4,
  PHASE_CANCELED: 5,
  PHASE_UNSPECIFIED: 6,
}

const VALUES: Record<Exclude<SortColumn, 'agent'>, (item: FleetItem) => number> = {
  phase: ({ entry }) => PHASE_RANKS[entry.phase] * 2 + (isAsking(entry) ? 0 : 1),
  cost: ({ entry }) => entry.cost,
  tokens: ({ tokens }) => tokens,
  tasks: ({ entry }) => entry.openTasks,
  progress: ({ progressMs }) => -progressMs,
  age: ({ createMs }) => -createMs,
}

export function readSort(text: string | undefined): Sort {
  const isDescending = text?.startsWith('-') === true
  const name = isDescending ? text?.slice(1) : text
  const column = SORT_COLUMNS.find((known) => known === name)
  return column === undefined ? DEFAULT_SORT : { column, isDescending }
}

export function writeSort({ column, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}${column}`
}

export type CompareItems = (left: FleetItem, right: FleetItem) => number

/** Ties are broken by age, newest first, so that rows don't jump. */
export function compareItems({ column, isDescending }: Sort): CompareItems {
  const sign = isDescending ? -1 : 1
  if (column === 'agent') {
    return (left, right) => sign * compareTexts(left.title, right.title) || compareAges(left, right)
  }
  const value = VALUES[column]
  if (column === DEFAULT_SORT.column && !isDescending) {
    return (left, right) => compareQuestions(left, right) || compareAges(left, right)
  }
  return (left, right) => sign * (value(left) - value(right)) || compareAges(left, right)
}

function compareQuestions(left: FleetItem, right: FleetItem): number {
  return Number(isAsking(right.entry)) - Number(isAsking(left.entry))
}

function compareAges(left: FleetItem, right: FleetItem): number {
  return right.createMs - left.createMs || compareTexts(left.key, right.key)
}

/** Names are ASCII. Locale-aware comparison would be a hundred times slower. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
