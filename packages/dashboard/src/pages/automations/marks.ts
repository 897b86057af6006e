import type { Delivery, FiringOutcome, IntegrationState, TriggerDelivery } from '@skein/client'
import type { Mark } from '../../ui/badge.tsx'

const UNKNOWN: Mark = { label: 'Unknown', tone: 'off' }

const INTEGRATIONS: Readonly<Record<IntegrationState, Mark>> = {
  ACTIVE: { label: 'Active', tone: 'good' },
  FAILING: { label: 'Failing', tone: 'warning' },
  PAUSED: { label: 'Paused', tone: 'off' },
  DISABLED: { label: 'Disabled', tone: 'bad' },
}

const OUTCOMES: Readonly<Record<TriggerDelivery['outcome'], Mark>> = {
  PENDING: { label: 'Pending', tone: 'busy' },
  IGNORED: { label: 'Ignored', tone: 'off' },
  SPAWNED: { label: 'Spawned', tone: 'good' },
  SENT: { label: 'Sent', tone: 'good' },
  REFUSED: { label: 'Refused', tone: 'bad' },
  FAILED: { label: 'Failed', tone: 'bad' },
}

const FIRINGS: Readonly<Record<FiringOutcome, Mark>> = {
  PENDING: { label: 'Pending', tone: 'busy' },
  WAITING: { label: 'Waiting', tone: 'busy' },
  STARTING: { label: 'Starting', tone: 'busy' },
  STARTED: { label: 'Started', tone: 'good' },
  SENT: { label: 'Sent', tone: 'good' },
  SKIPPED: { label: 'Skipped', tone: 'warning' },
  MISSED: { label: 'Missed', tone: 'warning' },
  FAILED: { label: 'Failed', tone: 'bad' },
}

/** Each may come from a newer service with states that this page doesn't know. */
export function integrationMark(state: string): Mark {
  return find(INTEGRATIONS, state)
}

export function outcomeMark(outcome: string): Mark {
  return find(OUTCOMES, outcome)
}

export function firingMark(outcome: string): Mark {
  return find(FIRINGS, outcome)
}

export function pausedMark(isPaused: boolean): Mark {
  return isPaused ? INTEGRATIONS.PAUSED : INTEGRATIONS.ACTIVE
}

/** The receiver's answer. */
export function deliveryMark({ status, error }: Pick<Delivery, 'status' | 'error'>): Mark {
  return { label: status === 0 ? 'No response' : String(status), tone: error === '' ? 'good' : 'bad' }
}

function find(marks: Readonly<Record<string, Mark>>, name: string): Mark {
  return Object.hasOwn(marks, name) ? (marks[name] ?? UNKNOWN) : UNKNOWN
}
