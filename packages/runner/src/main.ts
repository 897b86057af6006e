#!/usr/bin/env node
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { ConfigError } from '@skein/contract'
import { startTracing } from '@skein/host/telemetry'
import closeWithGrace from 'close-with-grace'
import { readRunnerConfig } from './config.ts'
import { EventLog, openLog } from './daemon/log.ts'
import { RunnerMetrics } from './daemon/metrics.ts'
import { Runner } from './daemon/runner.ts'
import type { RunnerEvent } from './runner-event.ts'
import { readVersion } from './version.ts'
import { leaveRoot } from './start/leave-root.ts'

const STATUS_EVERY_MS = 60_000
/** After runs were handed back, for ending programs and closing connections. */
const CLOSE_MS = 3_000

const USAGE = `skein-runner

Takes runs from a Skein service and executes them: real coding agents, metered and sandboxed.
SIGTERM lets runs end and hands back those that take too long.

Settings come from the environment. The least that is needed:
  SKEIN_URL           the service
  SKEIN_API_KEY       a key of the role runner
  ANTHROPIC_API_KEY   for Claude, OPENAI_API_KEY for Codex

All of them: docs/configuration.md. How to set up a runner: docs/runners.md.
`

// The reader of our output may go away. The runs continue.
process.stdout.on('error', () => {})

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('help')) return void process.stdout.write(USAGE)
  if (args.includes('--version')) return void process.stdout.write(`${readVersion()}\n`)
  if (args.length > 0) throw new ConfigError(`skein-runner takes no arguments: ${args.join(' ')}\n\n${USAGE}`)
  const given = readRunnerConfig(process.env)
  // Before anything is started or opened. A relative path is relative to where we were started.
  const config = { ...given, SKEIN_RUNNER_DATA_DIR: resolve(given.SKEIN_RUNNER_DATA_DIR) }
  const user = leaveRoot(config)
  const log = openLog(config, (line) => void process.stdout.write(line))
  if (user) log.info({ uid: user.uid, gid: user.gid }, 'started as root: another user from now on')
  const stopTracing = await startTracing({
    service: 'skein-runner',
    version: readVersion(),
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    attributes: { 'service.instance.id': `${hostname()}:${process.pid}` },
    onProblem: (error) => log.warn({ reason: error.message }, 'traces cannot be sent: they are dropped'),
  })
  const events = new EventLog(log)
  const metrics = new RunnerMetrics(config.SKEIN_RUNNER_CAPACITY)
  const totals = { ended: 0, costUsd: 0 }
  const onEvent = (event: RunnerEvent): void => {
    events.observe(event)
    metrics.observe(event)
    if (event.type === 'run-ended') totals.ended += 1
    if (event.type === 'model-called') totals.costUsd += event.costUsd
  }
  const { SKEIN_RUNNER_METRICS_HOST: metricsHost, SKEIN_RUNNER_METRICS_PORT: metricsPort } = config
  const metricsServer = metricsPort === 0 ? undefined : await metrics.serve(metricsHost, metricsPort)
  const runner = await Runner.start({ config, onEvent })
  const { backends, sandboxes } = runner.offers
  log.info({ backends, sandboxes, url: new URL(config.SKEIN_URL).origin }, 'the runner is ready')
  if (backends.length === 0 || sandboxes.length === 0) {
    log.warn('takes no runs until what is missing is there: see the lines above, or ask skein doctor')
  }
  const status = setInterval(() => {
    const { activeRuns: active, warmDesks: warm } = runner
    log.info({ active, warm, capacity: config.SKEIN_RUNNER_CAPACITY, ...totals }, 'the runner works')
  }, STATUS_EVERY_MS)
  const stopMs = config.SKEIN_RUNNER_DRAIN_MS + config.SKEIN_RUNNER_HAND_BACK_MS + CLOSE_MS
  const onTimeout = (): void => log.error({ stopMs }, 'the runner did not stop in time: ends at once')
  closeWithGrace({ delay: stopMs, onTimeout, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'the runner stops because of a fault')
    else log.info({ signal }, 'the runner stops: runs may end or are handed back')
    clearInterval(status)
    await runner.stop()
    metricsServer?.close()
    await stopTracing()
    log.info('the runner stopped')
  })
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  )
  // Something may already be listening.
  process.exit(1)
}
