import type { TimelineEvent } from '@skein/contract'
import type { Report } from '../report.ts'
import { acknowledgedAs } from '../workload/acknowledged.ts'
import { messageName, uncertainAt, type Evidence } from './evidence.ts'
import type { AgentTimeline } from './read-timelines.ts'

/** Every message a client sent is on its agent's timeline, exactly once. */
export function checkAccepted(report: Report, evidence: Evidence): void {
  const { timelines, log } = evidence
  const accepted = new Set(acceptedAt(timelines))
  const sent = [...acknowledgedAs(log, 'spawn'), ...acknowledgedAs(log, 'queue')].map(
    ({ path, followUpId }) => messageName(path, followUpId),
  )
  report.check(
    'lost',
    'every acknowledged message was accepted',
    sent.length,
    sent.filter((name) => !accepted.has(name)),
  )
  report.check('doubled', 'no message was accepted twice', accepted.size, acceptedTwice(evidence))
  const known = new Set(sent)
  report.check(
    'doubled',
    'no message was accepted that nobody was told of',
    accepted.size,
    timelines.flatMap(({ path }) => {
      const untold = [...accepted].filter((name) => name.startsWith(`${path} `) && !known.has(name))
      return untold.length > uncertainAt(evidence, path) ? untold : []
    }),
  )
}

/** Messages from clients: no client sent a child's report to its parent, or the service's own messages. */
function acceptedMessage(event: TimelineEvent): string | undefined {
  if (event.type !== 'follow-up.queued' && event.type !== 'follow-up.deferred') return undefined
  return event.origin === 'CALLER' ? event.followUp.followUpId : undefined
}

function acceptedAt(timelines: readonly AgentTimeline[]): string[] {
  return timelines.flatMap(({ path, events }) =>
    events.flatMap((event) => {
      const followUpId = acceptedMessage(event)
      return followUpId === undefined ? [] : [messageName(path, followUpId)]
    }),
  )
}

/**
 * An idempotency key works permanently. Without one, the message's id makes a retry safe, within one incarnation and
 * until the message is removed.
 */
function acceptedTwice({ timelines, log }: Evidence): string[] {
  const keyed = new Set(
    [...acknowledgedAs(log, 'spawn'), ...acknowledgedAs(log, 'queue').filter(({ isKeyed }) => isKeyed)].map(
      ({ followUpId }) => followUpId,
    ),
  )
  return timelines.flatMap(({ path, events }) => {
    let known = new Set<string>()
    return events.flatMap((event) => {
      if (event.type === 'agent.spawned') known = new Set([...known].filter((id) => keyed.has(id)))
      if (event.type === 'follow-up.removed' && !keyed.has(event.followUpId)) known.delete(event.followUpId)
      const followUpId = acceptedMessage(event)
      if (followUpId === undefined) return []
      const isSecond = known.has(followUpId)
      known.add(followUpId)
      return isSecond ? [messageName(path, followUpId)] : []
    })
  })
}
