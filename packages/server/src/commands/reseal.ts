import { resealAll } from '@skein/engine'
import { requireSetting, type Config } from '../config.ts'
import { openResources } from '../resources.ts'

/** The middle step of changing the master key: see "Rotate keys" in docs/operations.md. */
export async function reseal(config: Config, print: (line: string) => void): Promise<void> {
  const engine = openResources(config, requireSetting(config, 'SKEIN_OWNER_DATABASE_URL'))
  try {
    const { resealed } = await resealAll(engine)
    print(`Re-encrypted ${resealed} values. The first master key now decrypts all of them.`)
  } finally {
    await engine.database.close()
  }
}
