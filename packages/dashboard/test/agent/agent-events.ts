import type { AgentId, TimelineEvent } from '@skein/client'

export const AGENT: AgentId = {
  tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  workspace: 'shop',
  agent: ['release'],
}

type Facts<Event> = Event extends TimelineEvent
  ? Omit<Event, 'sequence' | 'agentId' | 'time' | 'actor'>
  : never

/** An event of a timeline in which one second passes between two. */
export function eventAt(
  sequence: number,
  facts: Facts<TimelineEvent> & { readonly actor?: string },
): TimelineEvent {
  const time = new Date(Date.UTC(2026, 10, 15, 9) + sequence * 1000).toISOString()
  return { sequence: String(sequence), agentId: AGENT, time, actor: 'ada', ...facts }
}

/** Numbered from 1 in the order given. */
export function timelineOf(...facts: readonly (Facts<TimelineEvent> & { readonly actor?: string })[]) {
  return facts.map((fact, index) => eventAt(index + 1, fact))
}
