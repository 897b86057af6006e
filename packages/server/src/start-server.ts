import { maintainPartitions, serverRoleProblem } from '@skein/store'
import { Sweeper, type EngineResources } from '@skein/engine'
import type { FastifyInstance } from 'fastify'
import { createApp, type AppOptions } from './app.ts'
import { ConfigError } from '@skein/contract'
import { requireSetting, type Config } from './config.ts'
import { openResources } from './resources.ts'
import { startTracing } from './tracing.ts'
import { watchClock } from './watch-clock.ts'

const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000
/** Replays are promised for 24 hours. Only whole days are dropped, so two are kept. */
const COMMAND_RETENTION_DAYS = 2

/** Automations read within seconds. A week leaves room for one that was down. */
const OUTBOX_RETENTION_DAYS = 7

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
  const stopTracing = await startTracing(config)
  const engine = openResources(config, requireSetting(config, 'SKEIN_DATABASE_URL'), {
    onIdleError: (error) => app.log.warn({ err: error }, 'a database connection broke'),
    onNotice: ({ severity, message }) => {
      if (severity === 'WARNING') app.log.warn({ notice: message }, 'PostgreSQL warns')
    },
  })
  const draining = new AbortController()
  const app = await createApp({ config, engine, draining: draining.signal, ...options })
  const sweeper = new Sweeper(engine, (error) => app.log.warn({ err: error }, 'a sweep failed'))
  let stopWatching: (() => void) | undefined
  const maintenance = setInterval(() => void maintain(), MAINTENANCE_INTERVAL_MS)
  try {
    await requireSafeRole(engine)
    // Before anything uses the clock.
    await engine.clock.look()
    stopWatching = watchClock(engine.clock, app.log)
    await maintain()
    await engine.wakeups.start()
    sweeper.start()
    const url = await listen(app, config)
    return { app, url, drain: () => draining.abort(), stop }
  } catch (error) {
    // An open connection or timer would keep the process alive although it serves nothing.
    await stop()
    throw error
  }

  async function stop(): Promise<void> {
    clearInterval(maintenance)
    stopWatching?.()
    await sweeper.stop()
    await app.close()
    await engine.wakeups.stop()
    await engine.schemas.close()
    await engine.database.close()
    try {
      await stopTracing()
    } catch (error) {
      // An unavailable collector must not make the stop fail.
      app.log.warn({ err: error }, 'the last traces could not be sent')
    }
  }

  async function maintain(): Promise<void> {
    const retention = {
      command: COMMAND_RETENTION_DAYS,
      outbox: OUTBOX_RETENTION_DAYS,
      audit: config.SKEIN_AUDIT_RETENTION_DAYS,
      timeline: config.SKEIN_TIMELINE_RETENTION_DAYS,
    }
    try {
      await engine.database.withoutTenant((transaction) => maintainPartitions(transaction, retention))
    } catch (error) {
      // Rows go to the default partitions until it succeeds. Nothing is lost.
      app.log.warn({ err: error }, 'partitions could not be maintained')
    }
  }
}

async function listen(app: FastifyInstance, { SKEIN_HOST: host, SKEIN_PORT: port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`SKEIN_HOST and SKEIN_PORT name an address that cannot be listened on: ${reason}`)
  }
}

async function requireSafeRole({ database }: EngineResources): Promise<void> {
  const problem = await database.withoutTenant(serverRoleProblem)
  if (problem === undefined) return
  throw new ConfigError(
    `SKEIN_DATABASE_URL is not safe to serve with: ${problem}. ` +
      'Row-level security would not bind it. See "Create the database" in docs/operations.md.',
  )
}
