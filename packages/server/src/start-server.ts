import { prepareServerLogin } from '@skein/store'
import { BudgetKeeper, Maintenance, SegmentMover, Sweeper, type Retention } from '@skein/engine'
import { startTracing } from '@skein/host/telemetry'
import type { FastifyInstance } from 'fastify'
import { createApp, type AppOptions } from './app.ts'
import { startAutomations } from './automations/start-automations.ts'
import { ConfigError } from '@skein/contract'
import { hasRole, requireSetting, type Config } from './config.ts'
import { logRuns } from './log-runs.ts'
import { logSegments } from './log-segments.ts'
import { closeResources, openResources } from './resources.ts'
import { retryConnect } from './retry-connect.ts'
import { readVersion } from './version.ts'
import { watchClock } from './watch-clock.ts'
import { watchNotifications } from './watch-notifications.ts'
import { watchReplica } from './watch-replica.ts'

export interface RunningServer {
  readonly app: FastifyInstance
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Makes /readyz fail. The server continues to serve. */
  drain(): void
  stop(): Promise<void>
}

/** Starts everything a server does. */
export async function startServer(
  config: Config,
  options: Pick<AppOptions, 'logStream'> = {},
): Promise<RunningServer> {
  const stopTracing = await startTracing({
    service: 'skein-server',
    version: readVersion(),
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    attributes: { 'skein.cell': config.SKEIN_CELL },
    onProblem: (error) => app.log.warn({ err: error }, 'traces cannot be sent: they are dropped'),
  })
  const engine = openResources(config, requireSetting(config, 'SKEIN_DATABASE_URL'), {
    onIdleError: (error) => app.log.warn({ err: error }, 'a database connection broke'),
    onNotice: ({ severity, message }) => {
      if (severity === 'WARNING') app.log.warn({ notice: message }, 'PostgreSQL warning')
    },
  })
  const draining = new AbortController()
  const app = await createApp({ config, engine, draining: draining.signal, ...options })
  const sweeper = new Sweeper(engine, (error) => app.log.warn({ err: error }, 'a sweep failed'))
  const budgets = new BudgetKeeper(engine, (error) =>
    app.log.warn({ err: error }, 'looking at budgets failed'),
  )
  const watches: (() => void)[] = [logRuns(engine.events, app.log), logSegments(engine.events, app.log)]
  let stopAutomations: (() => Promise<void>) | undefined
  const maintenance = new Maintenance(engine, retentionOf(config), (error) =>
    app.log.warn({ err: error }, 'maintenance of the database failed'),
  )
  const segments = new SegmentMover(
    engine,
    { days: config.SKEIN_SEGMENT_DAYS, backupDays: config.SKEIN_BACKUP_DAYS },
    (error) => app.log.warn({ err: error }, 'moving old events failed'),
  )
  try {
    await retryConnect(prepareLogin, warnOfTimeout)
    // Before anything uses the clock.
    await retryConnect(() => engine.clock.look(), warnOfTimeout)
    watches.push(watchClock(engine.clock, app.log))
    await maintenance.start()
    await listenForWakeups()
    watches.push(watchNotifications(engine.database.notifications, app.log))
    watches.push(await watchReplica(engine, config.SKEIN_READ_MAX_LAG_SECONDS * 1000, app.log))
    sweeper.start()
    budgets.start()
    segments.start()
    if (hasRole(config, 'automations')) stopAutomations = startAutomations(engine, config, app.log)
    const url = await listen(app, config)
    return { app, url, drain: () => draining.abort(), stop }
  } catch (error) {
    // An open connection or timer would keep the process alive although it serves nothing.
    await stop()
    throw error
  }

  async function stop(): Promise<void> {
    // At once: what follows may take a while.
    draining.abort()
    const segmentsStopped = segments.stop()
    await maintenance.stop()
    for (const stopWatching of watches) stopWatching()
    await Promise.all([sweeper.stop(), budgets.stop(), stopAutomations?.()])
    await app.close()
    await segmentsStopped
    await closeResources(engine)
    await stopTracing()
  }

  function warnOfTimeout(err: unknown): void {
    app.log.warn({ err }, 'the database does not answer in time: trying again')
  }

  /** Before the first connection of the pool, which would not have the settings. */
  async function prepareLogin(): Promise<void> {
    const { isPooled, changed } = await prepareServerLogin({
      connectionString: requireSetting(config, 'SKEIN_DATABASE_URL'),
      connectMs: config.SKEIN_DATABASE_CONNECT_MS,
    })
    if (changed.length === 0) return
    app.log.info({ settings: changed }, 'the database login got the settings it lacked')
    if (isPooled)
      app.log.warn('connections that the pooler opened before lack them: run RECONNECT on its console')
  }

  async function listenForWakeups(): Promise<void> {
    try {
      await engine.wakeups.start()
    } catch (error) {
      if (config.SKEIN_LISTEN_DATABASE_URL === '') throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new ConfigError(`SKEIN_LISTEN_DATABASE_URL cannot be connected to: ${reason}`)
    }
  }
}

function retentionOf(config: Config): Retention {
  return {
    audit: config.SKEIN_AUDIT_RETENTION_DAYS,
    timeline: config.SKEIN_TIMELINE_RETENTION_DAYS,
    agent: config.SKEIN_AGENT_RETENTION_DAYS,
    history: config.SKEIN_HISTORY_RETENTION_DAYS,
    spend: config.SKEIN_SPEND_RETENTION_DAYS,
  }
}

async function listen(app: FastifyInstance, { SKEIN_HOST: host, SKEIN_PORT: port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`Cannot listen on the address in SKEIN_HOST and SKEIN_PORT: ${reason}`)
  }
}
