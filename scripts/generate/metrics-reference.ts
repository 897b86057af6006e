import { RUNNER_METRICS } from '@skein/runner'
import { SERVER_METRICS } from '@skein/server'
import { GENERATED, table } from './markdown.ts'

interface Metric {
  readonly type: string
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
}

/** docs/metrics.md, generated from the tables that server and runner create their metrics from. */
export function metricsReference(): string {
  return `${GENERATED}

# Metrics

For Prometheus. Servers serve them at \`/metrics\` on the port of the API; runners at \`/metrics\` on \`SKEIN_RUNNER_METRICS_PORT\` (see [configuration](configuration.md)). [Operations](operations.md#watch-it) says how to use them, with dashboards and alerts to install.

Labels never name a tenant or an agent, and each has few values ([0040](adr/0040-what-is-measured-where.md)). \`pool\` names the pools in \`SKEIN_METRICS_POOLS\`; all other pools together are \`(other)\`. Counters start at 0 with each process.

## The server

${metricTable(SERVER_METRICS)}

Also those of the process, such as \`skein_nodejs_eventloop_lag_p99_seconds\`, \`skein_process_resident_memory_bytes\` and \`skein_process_cpu_seconds_total\`.

## The runner

${metricTable(RUNNER_METRICS)}

Also those of the process, with the prefix \`skein_runner_\`, such as \`skein_runner_nodejs_eventloop_lag_p99_seconds\`.
`
}

function metricTable(metrics: Readonly<Record<string, Metric>>): string {
  const rows = Object.values(metrics).map(({ name, type, labelNames = [], help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  return table(['Metric', 'Type', 'Labels', 'What it says'], rows)
}
