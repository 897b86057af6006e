import { buckets } from './buckets.ts'

/** Metrics of webhooks, triggers and schedules. */
export const AUTOMATION_METRICS = {
  automationsAge: {
    type: 'gauge',
    name: 'skein_automations_age_seconds',
    help: 'Time since this server last looked for work of each kind. Normally below 1. Only on servers with the role `automations`.',
    labelNames: ['kind'],
  },
  automationsOverdue: {
    type: 'gauge',
    name: 'skein_automations_overdue_seconds',
    help: 'How long the oldest due work has been waiting for a server; 0 if there is none. `outbox`: events that have not been processed yet. Every server reports the same: use max, not sum.',
    labelNames: ['kind'],
  },
  lanesWaiting: {
    type: 'gauge',
    name: 'skein_webhook_lanes_waiting',
    help: 'Agents whose events are on their way to an integration, by whether its receiver answers or fails. Counted up to 1,000 per integration and 100,000 in all. Every server reports the same.',
    labelNames: ['receiver'],
  },
  lanesOldest: {
    type: 'gauge',
    name: 'skein_webhook_oldest_seconds',
    help: 'How long the oldest of their next events has been waiting; 0 if there is none. Events for a failing receiver wait for up to three days.',
    labelNames: ['receiver'],
  },
  integrationsDisabled: {
    type: 'gauge',
    name: 'skein_webhook_integrations_disabled',
    help: 'Integrations that Skein disabled, because their receivers answered 410 or failed for five days. Counted up to 10,000. Every server reports the same.',
  },
  webhookAttempts: {
    type: 'counter',
    name: 'skein_webhook_attempts_total',
    help: 'Requests to receivers, by outcome. `gone`: the receiver answered 410.',
    labelNames: ['outcome'],
  },
  webhookDuration: {
    type: 'histogram',
    name: 'skein_webhook_request_duration_seconds',
    help: 'Time from sending an event to the end of the receiver’s answer. Ends at 10 seconds.',
    buckets: buckets(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
  },
  deadLetters: {
    type: 'counter',
    name: 'skein_webhook_dead_letters_total',
    help: 'Ranges of an agent’s events that became dead letters. `expired`: after three days of retries; `disabled`: because their integration was disabled.',
    labelNames: ['cause'],
  },
  disablings: {
    type: 'counter',
    name: 'skein_webhook_disablings_total',
    help: 'Integrations that Skein has disabled since this server started.',
  },
  triggerRequests: {
    type: 'counter',
    name: 'skein_trigger_requests_total',
    help: 'Requests to triggers. `new`: recorded; `copy`: recorded before; `unverified`: the trigger is unknown or the signature wrong; `limited`: more than the trigger accepts.',
    labelNames: ['result'],
  },
  triggerDeliveries: {
    type: 'counter',
    name: 'skein_trigger_deliveries_total',
    help: 'Deliveries of triggers that were applied, by outcome. `refused`: a rule or a limit did not allow it; `failed`: given up after an hour of retries.',
    labelNames: ['outcome'],
  },
  triggerLag: {
    type: 'histogram',
    name: 'skein_trigger_lag_seconds',
    help: 'Time from recording a delivery to its end.',
    buckets: buckets(0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600),
  },
  firingLag: {
    type: 'histogram',
    name: 'skein_schedule_firing_lag_seconds',
    help: 'How late due firings of schedules were noticed. Normally below 1.',
    buckets: buckets(0.25, 0.5, 1, 2, 5, 10, 60, 600, 3600),
  },
  firingsEnded: {
    type: 'counter',
    name: 'skein_schedule_firings_total',
    help: 'Firings of schedules, by outcome.',
    labelNames: ['outcome'],
  },
} as const
