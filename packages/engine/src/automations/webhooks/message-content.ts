import { formatInt64, formatTimestamp, type Tenant } from '@skein/contract'
import { isTenantEvent, type AgentIdentity } from '@skein/core'
import type { SentEvent } from '@skein/store'
import { toTimelineEvent } from '../../agents/to-timeline-event.ts'

/** The body of a request about an event. */
export function eventContent(event: SentEvent, identity: AgentIdentity, tenant: Tenant): object {
  return {
    type: event.event.type,
    timestamp: formatTimestamp(event.at),
    data: describeEvent(event, identity, tenant),
  }
}

function describeEvent({ event, ...rest }: SentEvent, identity: AgentIdentity, tenant: Tenant): object {
  if (!isTenantEvent(event)) return toTimelineEvent({ ...rest, event }, identity, tenant)
  return {
    ...event,
    sequence: formatInt64(rest.sequence),
    tenant,
    time: formatTimestamp(rest.at),
    actor: rest.actor,
  }
}

export function testContent(integration: string, at: number): object {
  return { type: 'test', timestamp: formatTimestamp(at), data: { integration } }
}

/** The same for every request with this test event. */
export function testMessageId(testId: string): string {
  return `msg_test_${testId.replaceAll('-', '')}`
}
