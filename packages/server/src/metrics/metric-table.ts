import { AUTOMATION_METRICS } from './automation-metric-table.ts'
import { buckets } from './buckets.ts'

/** Every metric of the server. docs/metrics.md is generated from this. */
export const SERVER_METRICS = {
  requestDuration: {
    type: 'histogram',
    name: 'skein_http_request_duration_seconds',
    help: 'Time from the request’s head to the end of the answer.',
    labelNames: ['operation', 'status'],
    buckets: buckets(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
  },
  waitingRequests: {
    type: 'gauge',
    name: 'skein_waiting_requests',
    help: 'Requests that wait for something to happen: waits, watches, polls, heartbeats.',
  },
  queued: {
    type: 'gauge',
    name: 'skein_runs_queued',
    help: 'Runs that could start now, in all tenants together. Every server reports the same: use max, not sum. Counted up to 1,000 per tenant and pool.',
    labelNames: ['pool'],
  },
  queuedOldest: {
    type: 'gauge',
    name: 'skein_runs_queued_oldest_seconds',
    help: 'How long the oldest of them has been waiting; 0 if there is none.',
    labelNames: ['pool'],
  },
  running: {
    type: 'gauge',
    name: 'skein_runs_running',
    help: 'Runs that a runner holds, in all tenants together. Every server reports the same.',
    labelNames: ['pool'],
  },
  runnersOnline: {
    type: 'gauge',
    name: 'skein_runners_online',
    help: 'Runners that asked for work in the last 90 seconds. Every server reports the same.',
    labelNames: ['pool'],
  },
  queueDuration: {
    type: 'histogram',
    name: 'skein_run_queue_duration_seconds',
    help: 'How long a run was queued when a runner took it, not counting the back-off of a retry.',
    buckets: buckets(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800),
  },
  stopDuration: {
    type: 'histogram',
    name: 'skein_run_stop_duration_seconds',
    help: 'Time from the request to stop a run to its end.',
    buckets: buckets(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60),
  },
  runsEnded: {
    type: 'counter',
    name: 'skein_runs_ended_total',
    help: 'Runs that ended, by reason. `lost`: no runner could keep it, so its agent failed.',
    labelNames: ['reason'],
  },
  retries: {
    type: 'counter',
    name: 'skein_run_retries_total',
    help: 'Runs that were queued again. `lost`: the lease expired; `failed`: the attempt failed and may be retried; `paused`: the runner handed it back.',
    labelNames: ['cause'],
  },
  replicaReads: {
    type: 'counter',
    name: 'skein_replica_reads_total',
    help: 'Reads of lists and timelines, if there is a replica. `replica`: it answered; `late`: it was too far behind, so the primary answered; `failed`: it could not be reached.',
    labelNames: ['outcome'],
  },
  budgetRefusals: {
    type: 'counter',
    name: 'skein_budget_refusals_total',
    help: 'Model calls that a monthly budget had no room for.',
  },
  budgetResumes: {
    type: 'counter',
    name: 'skein_budget_resumes_total',
    help: 'Agents that waited for a monthly budget and continue.',
  },
  budgetLevels: {
    type: 'counter',
    name: 'skein_budget_levels_total',
    help: 'Notifications about levels of monthly budgets, by percent.',
    labelNames: ['percent'],
  },
  signIns: {
    type: 'counter',
    name: 'skein_sign_ins_total',
    help: 'Sign-ins with an identity provider. `refused`: by the provider, or because the person has no role; `unavailable`: the provider could not be reached.',
    labelNames: ['outcome'],
  },
  leasesExpired: {
    type: 'counter',
    name: 'skein_leases_expired_total',
    help: 'Leases that no runner renewed in time.',
  },
  deliveryLag: {
    type: 'histogram',
    name: 'skein_deferred_delivery_lag_seconds',
    help: 'How late deferred messages were delivered.',
    buckets: buckets(0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800),
  },
  sweepAge: {
    type: 'gauge',
    name: 'skein_sweep_age_seconds',
    help: 'Time since this server’s last complete sweep for due messages and expired leases. Normally below 1.',
  },
  sweepFailures: {
    type: 'counter',
    name: 'skein_sweep_failures_total',
    help: 'Failed sweeps, and failed items of a sweep. The next sweep retries them.',
  },
  wakeupLag: {
    type: 'histogram',
    name: 'skein_wakeup_lag_seconds',
    help: 'Time for a notification to go through the database and come back. A lost one counts as the time until it was noticed.',
    buckets: buckets(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
  },
  eventsMoved: {
    type: 'counter',
    name: 'skein_timeline_events_moved_total',
    help: 'Old events that this server moved from PostgreSQL to the blob store.',
  },
  segmentFailures: {
    type: 'counter',
    name: 'skein_timeline_segment_failures_total',
    help: 'Segments that could not be moved, read or removed. `move`: retried within minutes; `remove`: an object that is not needed any more could not be deleted; `read`: the blob store did not respond; `damaged`: an object is missing or not what was stored.',
    labelNames: ['cause'],
  },
  oldestUnmoved: {
    type: 'gauge',
    name: 'skein_timeline_oldest_unmoved_seconds',
    help: 'Age of the oldest month with events that should be in the blob store and are still in PostgreSQL, counted from its beginning; 0 if there is none. Every server reports the same.',
  },
  maintenanceAge: {
    type: 'gauge',
    name: 'skein_maintenance_age_seconds',
    help: 'Time since this server last created and dropped partitions. Once an hour is normal.',
  },
  connections: {
    type: 'gauge',
    name: 'skein_database_connections',
    help: 'Connections of this server to PostgreSQL, and requests that wait for one.',
    labelNames: ['state'],
  },
  shareUsed: {
    type: 'gauge',
    name: 'skein_database_share_used',
    help: 'Connections in use, by share. `reserved` is for what keeps runs alive.',
    labelNames: ['share'],
  },
  shareSize: {
    type: 'gauge',
    name: 'skein_database_share_size',
    help: 'Connections that each share may use.',
    labelNames: ['share'],
  },
  notificationsLost: {
    type: 'gauge',
    name: 'skein_notifications_lost',
    help: '1 while notifications of the database do not arrive here, so that waits and watches are late.',
  },
  clockSkew: {
    type: 'gauge',
    name: 'skein_clock_skew_seconds',
    help: 'How far this machine’s clock is ahead of the database’s, which is the one that counts.',
  },
  ...AUTOMATION_METRICS,
} as const
