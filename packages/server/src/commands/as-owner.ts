import { ConfigError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import { requiredSchemaVersion, schemaVersion } from '@skein/store'
import { requireSetting, type Config } from '../config.ts'
import { openResources } from '../resources.ts'

/** Runs a command on a migrated database, as the owner of the tables. */
export async function asOwner<Result>(
  config: Config,
  run: (engine: EngineResources) => Promise<Result>,
): Promise<Result> {
  const engine = openResources(config, requireSetting(config, 'SKEIN_OWNER_DATABASE_URL'))
  try {
    await checkSchema(engine)
    return await run(engine)
  } finally {
    await engine.database.close()
  }
}

/** Otherwise the command would fail with PostgreSQL's message about a missing table. */
async function checkSchema({ database }: EngineResources): Promise<void> {
  const [required, found] = await Promise.all([
    requiredSchemaVersion(),
    database.urgent.withoutTenant((transaction) => schemaVersion(transaction)),
  ])
  if (found >= required) return
  const state = found === 0 ? 'is not migrated' : `is at schema ${found}; this build needs ${required}`
  throw new ConfigError(`The database ${state}. Run first: skein-server migrate`)
}
