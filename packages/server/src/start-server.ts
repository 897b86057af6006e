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
/** A replay is promised for 24 hours; two whole days are kept, because only whole days are dropped. */
const COMMAND_RETENTION_DAYS = 2

/** Automations read within seconds; a week leaves room for one that was down. */
const OUTBOX_RETENTION_DAYS = 7

export interface RunningServer {
  readonly app: FastifyInstance
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly url: string
  stop(): Promise<void>
}

/** Everything that a server does, until it is stopped. */
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
  const app = await createApp({ config, engine, ...options })
  const sweeper = new Sweeper(engine, (error) => app.log.warn({ err: error }, 'a sweep failed'))
  let stopWatching: (() => void) | undefined
  const maintenance = setInterval(() => void maintain(), MAINTENANCE_INTERVAL_MS)
  try {
    await requireSafeRole(engine)
    // Before anything goes by it.
    await engine.clock.look()
    stopWatching = watchClock(engine.clock, app.log)
    await maintain()
    await engine.wakeups.start()
    sweeper.start()
    const url = await listen(app, config)
    return { app, url, stop }
  } catch (error) {
    // An open connection or a timer would keep the process of a server that serves nothing.
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
      // A collector that is away is no reason to call the stop a failure.
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
      // Rows go to the default partitions until it succeeds; nothing is lost.
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
