import { randomBytes } from 'node:crypto'
import { Vault, type EngineResources } from '@skein/engine'
import { Database } from '@skein/store'
import { masterKeys, type Config } from './config.ts'

/** The engine's real resources: a database, the wall clock and the system's randomness. */
export function openResources(
  config: Config,
  connectionString: string,
  onIdleError?: (error: Error) => void,
): EngineResources {
  return {
    database: new Database({
      connectionString,
      maxConnections: config.SKEIN_DATABASE_CONNECTIONS,
      applicationName: 'skein-server',
      ...(onIdleError && { onIdleError }),
    }),
    vault: new Vault(masterKeys(config)),
    clock: { now: () => Date.now() },
    random: { bytes: (length) => randomBytes(length) },
    cell: config.SKEIN_CELL,
  }
}
