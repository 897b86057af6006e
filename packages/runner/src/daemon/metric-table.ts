/** Every metric of the runner. docs/metrics.md is generated from this. */
export const RUNNER_METRICS = {
  runs: {
    type: 'counter',
    name: 'skein_runner_runs_total',
    help: 'Runs that ended, by reason. `lost`: another runner has it; `paused`: handed back to be continued.',
    labelNames: ['reason'],
  },
  active: {
    type: 'gauge',
    name: 'skein_runner_active_runs',
    help: 'Runs in progress.',
  },
  capacity: {
    type: 'gauge',
    name: 'skein_runner_capacity',
    help: 'Runs that this runner takes at once.',
  },
  calls: {
    type: 'counter',
    name: 'skein_runner_model_calls_total',
    help: 'Model calls that were sent on, by the provider’s status. `429`: rate limited; `0`: no answer.',
    labelNames: ['provider', 'status'],
  },
  callDuration: {
    type: 'histogram',
    name: 'skein_runner_model_call_duration_seconds',
    help: 'Time from sending a model call to the end of its answer.',
    labelNames: ['provider'],
    buckets: buckets(0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256),
  },
  cost: {
    type: 'counter',
    name: 'skein_runner_cost_dollars_total',
    help: 'What model calls have cost.',
  },
  queuedToFirstCall: {
    type: 'histogram',
    name: 'skein_runner_queued_to_first_model_call_seconds',
    help: 'Time from queuing a run to sending its first model call.',
    buckets: buckets(0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 300, 1800),
  },
  firstCall: {
    type: 'histogram',
    name: 'skein_runner_first_model_call_seconds',
    help: 'From the start of a run to the end of its first model call.',
    buckets: buckets(0.25, 0.5, 1, 2, 4, 8, 16, 32, 64),
  },
  gitFailures: {
    type: 'counter',
    name: 'skein_runner_git_failures_total',
    help: 'Repositories that could not be read, and work that could not be saved (`save`).',
    labelNames: ['kind'],
  },
  blobFailures: {
    type: 'counter',
    name: 'skein_runner_blob_failures_total',
    help: 'Conversations that could not be stored, loaded, removed or listed.',
    labelNames: ['operation'],
  },
  problems: {
    type: 'counter',
    name: 'skein_runner_problems_total',
    help: 'Faults of the runner itself, and failed polls.',
  },
} as const

/** The upper limits of a histogram, as an array that prom-client accepts: the table is read-only. */
function buckets(...limits: number[]): number[] {
  return limits
}
