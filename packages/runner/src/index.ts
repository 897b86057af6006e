export { RunnerConfigSchema, readRunnerConfig, type RunnerConfig } from './config.ts'
export { Runner, type RunnerOptions } from './daemon/runner.ts'
export { RUNNER_METRICS } from './daemon/metric-table.ts'
export type { RunnerEvent } from './runner-event.ts'
