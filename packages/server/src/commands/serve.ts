import closeWithGrace from 'close-with-grace'
import { maintainPartitions, serverRoleProblem } from '@skein/store'
import type { EngineResources } from '@skein/engine'
import { createApp } from '../app.ts'
import { ConfigError, requireSetting, type Config } from '../config.ts'
import { openResources } from '../resources.ts'
import { startTracing } from '../tracing.ts'

const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000
/** A replay is promised for 24 hours; two whole days are kept, because only whole days are dropped. */
const COMMAND_RETENTION_DAYS = 2

/** Serves until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  const stopTracing = startTracing(config)
  const engine = openResources(config, requireSetting(config, 'SKEIN_DATABASE_URL'), (error) =>
    app.log.warn({ err: error }, 'a database connection broke'),
  )
  const app = await createApp({ config, engine })
  await requireSafeRole(engine)
  const maintenance = setInterval(() => void maintain(), MAINTENANCE_INTERVAL_MS)
  await maintain()
  closeWithGrace({ delay: config.SKEIN_SHUTDOWN_GRACE_MS, logger: app.log }, async ({ signal, err }) => {
    if (err) app.log.fatal({ err }, 'the server stops because of a fault')
    else app.log.info({ signal }, 'the server stops')
    clearInterval(maintenance)
    await app.close()
    await engine.database.close()
    await stopTracing()
  })
  await app.listen({ host: config.SKEIN_HOST, port: config.SKEIN_PORT })

  async function maintain(): Promise<void> {
    const retention = { commandDays: COMMAND_RETENTION_DAYS, auditDays: config.SKEIN_AUDIT_RETENTION_DAYS }
    try {
      await engine.database.withoutTenant((session) => maintainPartitions(session, retention))
    } catch (error) {
      // Rows go to the default partitions until it succeeds; nothing is lost.
      app.log.warn({ err: error }, 'partitions could not be maintained')
    }
  }
}

async function requireSafeRole({ database }: EngineResources): Promise<void> {
  const problem = await database.withoutTenant(serverRoleProblem)
  if (problem === undefined) return
  throw new ConfigError(
    `SKEIN_DATABASE_URL is not safe to serve with: ${problem}. ` +
      'Row-level security would not bind it. See "Two database logins" in docs/operations.md.',
  )
}
