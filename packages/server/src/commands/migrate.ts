import { migrate as runMigrations } from '@skein/store'
import { requireSetting, type Config } from '../config.ts'

/** Migrates the database to this build's schema. Safe to run at any time, from any number of servers. */
export async function migrate(config: Config, print: (line: string) => void): Promise<void> {
  const report = await runMigrations({
    connectionString: requireSetting(config, 'SKEIN_OWNER_DATABASE_URL'),
    log: print,
  })
  print(JSON.stringify(report))
}
