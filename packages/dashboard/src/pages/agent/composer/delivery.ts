import type { AgentStatus, SendOptions } from '@skein/client'

/** How a message reaches the agent. */
const DELIVERIES = ['queue', 'steer', 'preempt', 'later'] as const
export type Delivery = (typeof DELIVERIES)[number]

export interface DeliveryChoice {
  readonly value: Delivery
  readonly label: string
}

export const MAX_DEFER_DAYS = 30

export function readDelivery(value: string): Delivery {
  return DELIVERIES.find((delivery) => delivery === value) ?? 'queue'
}

export function isInRun({ run }: Pick<AgentStatus, 'run'>): boolean {
  return run.state === 'RUN_STATE_RUNNING' || run.state === 'RUN_STATE_QUEUED'
}

const PREEMPT_AT_REST = { value: 'preempt', label: 'Now, clear the queue (preempt)' } as const

/** The options that make sense right now. */
export function listDeliveries(status: Pick<AgentStatus, 'run' | 'followUps'>): readonly DeliveryChoice[] {
  const hasQueue = status.followUps.some(({ state }) => state === 'QUEUED')
  if (isInRun(status)) {
    return [
      { value: 'queue', label: 'After this run' },
      { value: 'steer', label: 'During this run (steer)' },
      { value: 'preempt', label: 'Instead of this run (preempt)' },
      { value: 'later', label: 'Later…' },
    ]
  }
  return [
    { value: 'queue', label: 'Now' },
    ...(hasQueue ? [PREEMPT_AT_REST] : []),
    { value: 'later', label: 'Later…' },
  ]
}

/** The chosen option may no longer apply while the user types: the run ends, the queue empties. */
export function settleDelivery(chosen: Delivery, choices: readonly DeliveryChoice[]): Delivery {
  return choices.some(({ value }) => value === chosen) ? chosen : 'queue'
}

export function toSendOptions(delivery: Delivery, deliverAt: string): SendOptions {
  switch (delivery) {
    case 'queue':
      return {}
    case 'steer':
      return { steer: true }
    case 'preempt':
      return { preempt: true }
    case 'later':
      return { deliverAt }
  }
}

export interface DeliveryTime {
  /** RFC 3339; empty if there is a problem. */
  readonly deliverAt: string
  readonly problem: string
}

/** Parses a number of minutes, or the local time of a date field, as of now. */
export function readDeliveryTime(
  { minutes, localTime }: { readonly minutes: string; readonly localTime: string },
  nowMs: number,
): DeliveryTime {
  const atMs = minutes === 'at' ? Date.parse(localTime) : nowMs + Number(minutes) * 60_000
  if (Number.isNaN(atMs)) return { deliverAt: '', problem: 'Choose a time.' }
  if (atMs <= nowMs) return { deliverAt: '', problem: 'Choose a time in the future.' }
  if (atMs > nowMs + MAX_DEFER_DAYS * 86_400_000) {
    return { deliverAt: '', problem: `At most ${MAX_DEFER_DAYS} days ahead.` }
  }
  return { deliverAt: new Date(atMs).toISOString(), problem: '' }
}

/** A date field's value, in local time. */
export function toLocalTime(atMs: number): string {
  const at = new Date(atMs)
  return new Date(atMs - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
