import { isTenantEvent, topicOf, wantsAgent, wantsTopic, type Notice, type TenantEvent } from '@skein/core'
import type { MessageLane } from '@skein/store'
import { dashboardUrl } from '../../agents/describe-agent.ts'
import type { Receiver } from '../webhooks/destinations.ts'

/** What a message tells, with the event that each notice comes from. */
export interface ToldNotice {
  readonly notice: Notice
  readonly lane: MessageLane
  readonly sequence: bigint
  readonly eventType: string
}

export function toNotices(
  { integration }: Receiver,
  lanes: readonly MessageLane[],
  publicUrl: string,
): ToldNotice[] {
  return lanes.flatMap((lane) =>
    lane.events.flatMap(({ sequence, event, ending }) => {
      const topic = topicOf(event)
      if (!wantsTopic(integration, topic, lane.identity.path)) return []
      const told = { lane, sequence, eventType: event.type }
      if (isTenantEvent(event) && event.type === 'budget.reached') {
        if (!wantsAgent(integration, { identity: lane.identity, labels: {} })) return []
        return [{ ...told, notice: { topic, ...describeBudget(event, publicUrl) } }]
      }
      if (isTenantEvent(event)) {
        const { integration: subject, because: detail, owner } = event
        const about = { identity: { ...lane.identity, account: owner }, labels: {} }
        if (!wantsAgent(integration, about)) return []
        const url = `${publicUrl}/catalog/integration/${subject}`
        return [{ ...told, notice: { topic, subject: `Integration ${subject}`, url, detail } }]
      }
      if (!wantsAgent(integration, lane)) return []
      const { workspace, path } = lane.identity
      const base = {
        topic,
        subject: [workspace, ...path].join('/'),
        url: dashboardUrl(lane.identity, publicUrl),
      }
      if (event.type === 'agent.budget-reached') {
        return [{ ...told, notice: { ...base, percent: event.percent, detail: '' } }]
      }
      const detail = topic === 'question' && 'needsInput' in event ? event.needsInput : ending
      return [{ ...told, notice: { ...base, detail } }]
    }),
  )
}

function describeBudget(
  { budget, percent, amount, spent, refuses, until }: Extract<TenantEvent, { type: 'budget.reached' }>,
  publicUrl: string,
): Omit<Notice, 'topic'> {
  const effect = refuses ? ` Its agents wait until it is raised, or until ${until}.` : ''
  return {
    subject: `Budget ${budget}`,
    url: `${publicUrl}/catalog/budget/${budget}`,
    percent,
    isMonthly: true,
    detail: `$${spent.toFixed(2)} of $${amount.toFixed(2)} is spent this month.${effect}`,
  }
}
