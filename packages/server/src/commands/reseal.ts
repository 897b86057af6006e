import { resealAll } from '@skein/engine'
import type { Config } from '../config.ts'
import { asOwner } from './as-owner.ts'

/** The middle step of changing the master key: see "Rotate keys" in docs/operations.md. */
export async function reseal(config: Config, print: (line: string) => void): Promise<void> {
  await asOwner(config, async (engine) => {
    const { resealed } = await resealAll(engine)
    print(`Re-encrypted ${resealed} values. The first master key now decrypts all of them.`)
  })
}
