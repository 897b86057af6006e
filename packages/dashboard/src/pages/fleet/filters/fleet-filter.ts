import { isAsking, isTerminal, type FleetFilter, type Phase } from '@skein/client'
import { PHASE_BY_NAME } from '@skein/contract/facts'
import type { FleetItem } from '../../../live/fleet-item.ts'
import { searchPhases, type FleetSearch } from '../fleet-search.ts'

/**
 * The part of the filter the service applies. Live agents are loaded in all phases, so that toggles respond
 * immediately.
 */
export function toFleetFilter(search: FleetSearch): FleetFilter {
  const chosen = searchPhases(search).map((name) => PHASE_BY_NAME[name])
  const phases: readonly Phase[] = search.asks === true ? [...chosen, 'PHASE_WAITING'] : chosen
  const hasEnded = phases.some((phase) => isTerminal(phase))
  const labels = readLabels(search.label)
  return {
    account: toAccount(search),
    ...(search.workspace !== undefined && { workspace: search.workspace }),
    ...(labels !== undefined && { labels }),
    // There may be far more ended than live agents, so only the requested phases are loaded.
    ...(hasEnded && { phases }),
    ...((phases.length === 0 ? search.ended === true : hasEnded) && { includeTerminal: true }),
  }
}

/** In the API's format: empty for the caller's own. */
export function toAccount({ account }: FleetSearch): string {
  if (account === undefined) return '*'
  return account === 'mine' ? '' : account
}

/** The part of the filter the page applies itself. */
export function matchItems(search: FleetSearch): (item: FleetItem) => boolean {
  const phases = new Set<string>(searchPhases(search).map((name) => PHASE_BY_NAME[name]))
  const words = (search.text ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const hasChoice = phases.size > 0 || search.asks === true
  // Asking agents are counted and shown separately from waiting ones.
  const isChosen = ({ entry }: FleetItem): boolean =>
    isAsking(entry) ? search.asks === true : phases.has(entry.phase)
  return (item) => (!hasChoice || isChosen(item)) && words.every((word) => item.searchText.includes(word))
}

/** Whether some loaded agents are hidden. */
export function isNarrowed(search: FleetSearch): boolean {
  return search.phase !== undefined || search.asks === true || search.text !== undefined
}

/** Parses `team=payments,env=dev`; undefined if there is nothing to match yet. */
export function readLabels(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const pairs = (text ?? '')
    .split(',')
    .map((term) => term.trim())
    .filter((term) => /^[^=]+=/.test(term))
    .map((term): [string, string] => {
      const at = term.indexOf('=')
      return [term.slice(0, at).trim(), term.slice(at + 1).trim()]
    })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}
