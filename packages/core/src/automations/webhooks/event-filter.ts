import { isEventType } from '@skein/contract/facts'
import type { AgentIdentity } from '../../agent/state.ts'

/** Which events an integration gets. */
export interface EventFilter {
  /** Types, such as `run.ended`, `run.*` or `*`. */
  readonly events: readonly string[]
  /** Empty means all, here and in each of the following. */
  readonly workspaces: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** The name of a root agent. */
  readonly tree: string
  readonly account: string
}

/** What the filter looks at. Only the labels can change, by a new spawn. */
export interface FilteredAgent {
  readonly identity: AgentIdentity
  readonly labels: Readonly<Record<string, string>>
}

export function wantsAgent(filter: EventFilter, { identity, labels }: FilteredAgent): boolean {
  if (filter.workspaces.length > 0 && !filter.workspaces.includes(identity.workspace)) return false
  if (filter.tree !== '' && filter.tree !== identity.path[0]) return false
  if (filter.account !== '' && filter.account !== identity.account) return false
  return Object.entries(filter.labels).every(([name, value]) => labels[name] === value)
}

export function wantsEvent({ events }: Pick<EventFilter, 'events'>, type: string): boolean {
  return isEventType(events, type)
}
