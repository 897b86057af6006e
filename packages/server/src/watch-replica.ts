import { ConfigError } from '@skein/contract'
import { replicaProblem, type Reads } from '@skein/store'
import type { EngineResources } from '@skein/engine'
import type { FastifyBaseLogger } from 'fastify'
import { repeatAlone } from './http/repeat-alone.ts'

const SAMPLES_PER_LAG = 4

/**
 * Notes where the primary is, so that it is known later how late the replica is. Reads come from there once it was
 * checked: a replica that cannot be reached yet is retried. Returns a function that stops it.
 */
export async function watchReplica(
  { database, reads }: Pick<EngineResources, 'database'> & { readonly reads: Reads },
  maxLagMs: number,
  log: FastifyBaseLogger,
): Promise<() => void> {
  const { replica } = reads
  if (!replica) return () => {}
  let isAllowed = false
  const check = async (): Promise<void> => {
    const problem = await replicaProblem(database, replica)
    if (problem !== undefined) {
      throw new ConfigError(
        `SKEIN_READ_DATABASE_URL cannot be read from: ${problem}. See "Read from a replica" in docs/operations.md.`,
      )
    }
    reads.allow()
    isAllowed = true
    log.info('lists and timelines are read from the replica')
  }
  const look = async (): Promise<void> => {
    try {
      await reads.sample()
      if (!isAllowed) await check()
    } catch (error) {
      log.warn({ err: error }, 'the replica is not read from yet')
    }
  }
  try {
    await check()
  } catch (error) {
    // An operator must fix this. Everything else may pass.
    if (error instanceof ConfigError) throw error
    log.warn({ err: error }, 'the replica cannot be reached: everything is read from the primary')
  }
  await look()
  const timer = repeatAlone(look, maxLagMs / SAMPLES_PER_LAG)
  return () => clearInterval(timer)
}
