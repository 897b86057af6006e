export { logOptions } from './telemetry/log-options.ts'
