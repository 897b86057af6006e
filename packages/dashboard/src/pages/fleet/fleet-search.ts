import { PHASE_NAMES, type PhaseName } from '@skein/contract/facts'
import { DEFAULT_SORT, readSort, writeSort } from './sort-items.ts'

/** The fleet's filters in the URL. Defaults are left out. */
export interface FleetSearch {
  readonly view?: 'tree' | undefined
  /** Such as `waiting,failed`. */
  readonly phase?: string | undefined
  /** Only agents that are asking something. */
  readonly asks?: true | undefined
  /** `mine`, a name, or `service_profile/ci`; everyone's if absent. */
  readonly account?: string | undefined
  readonly workspace?: string | undefined
  /** Such as `team=payments,env=dev`. */
  readonly label?: string | undefined
  readonly text?: string | undefined
  /** Also include ended agents. */
  readonly ended?: true | undefined
  /** A column, with a minus for descending. */
  readonly sort?: string | undefined
}

const MAX_LENGTH = 500

/** A URL may come from anywhere: invalid values are dropped. */
export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return dropEmpty({
    view: search['view'] === 'tree' ? 'tree' : undefined,
    phase: writePhases(readPhases(readText(search['phase']))),
    asks: search['asks'] === true ? true : undefined,
    account: readText(search['account']),
    workspace: readText(search['workspace']),
    label: readText(search['label']),
    text: readText(search['text']),
    ended: search['ended'] === true ? true : undefined,
    sort: readKnownSort(readText(search['sort'])),
  })
}

export function searchPhases({ phase }: FleetSearch): readonly PhaseName[] {
  return readPhases(phase)
}

export function togglePhase(search: FleetSearch, name: PhaseName): FleetSearch {
  const phases = searchPhases(search)
  const next = phases.includes(name) ? phases.filter((other) => other !== name) : [...phases, name]
  return dropEmpty({ ...search, phase: writePhases(next) })
}

/** The same view without filters. */
export function clearFilters({ view, sort }: FleetSearch): FleetSearch {
  return dropEmpty({ view, sort })
}

/** In a fixed order, so that the same choice gives the same URL. */
function writePhases(phases: readonly PhaseName[]): string | undefined {
  const text = PHASE_NAMES.filter((name) => phases.includes(name)).join(',')
  return text === '' ? undefined : text
}

function readPhases(text: string | undefined): readonly PhaseName[] {
  const words = text?.split(',') ?? []
  return PHASE_NAMES.filter((name) => words.includes(name))
}

function readKnownSort(text: string | undefined): string | undefined {
  const sort = writeSort(readSort(text))
  return sort === writeSort(DEFAULT_SORT) ? undefined : sort
}

/** The router parses `?text=42` as a number. */
function readText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_LENGTH) : undefined
}

function dropEmpty(search: FleetSearch): FleetSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''))
}
