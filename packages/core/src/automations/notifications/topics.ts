import type { Topic } from '@skein/contract/facts'

/** What decides whether an event is worth telling: all that the relay reads of it. */
export interface EventHeader {
  readonly type: string
  /** Of a change of phase: the new one. */
  readonly to?: string | undefined
  readonly needsInput?: string | undefined
}

/** The types of events that a topic can come from. */
export const TOLD_TYPES: readonly string[] = [
  'agent.phase-changed',
  'agent.budget-reached',
  'budget.reached',
  'integration.disabled',
]

export function topicOf({ type, to, needsInput = '' }: EventHeader): Topic | undefined {
  if (type === 'agent.budget-reached' || type === 'budget.reached') return 'budget'
  if (type === 'integration.disabled') return 'integration-disabled'
  if (type !== 'agent.phase-changed') return undefined
  if (to === 'PHASE_COMPLETED') return 'finished'
  if (to === 'PHASE_FAILED') return 'failed'
  return to === 'PHASE_WAITING' && needsInput !== '' ? 'question' : undefined
}

/** What an integration for people is told. */
export interface TopicFilter {
  /** Empty means all. */
  readonly notify: readonly Topic[]
  readonly children: boolean
}

/** `path` is empty for what is not about an agent. */
export function wantsTopic(
  { notify, children }: TopicFilter,
  topic: Topic | undefined,
  path: readonly string[],
): topic is Topic {
  if (topic === undefined || (path.length > 1 && !children)) return false
  return notify.length === 0 || notify.includes(topic)
}
