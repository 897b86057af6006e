import { ConfigError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import { replicaProblem, type ReplicaProblem } from '@skein/store'
import type { FastifyBaseLogger } from 'fastify'
import { repeatAlone } from './http/repeat-alone.ts'

const SAMPLES_PER_LAG = 4

/**
 * Keeps track of the primary's position, which shows how far the replica lags, and checks the replica before it is read
 * from, also after a failure. Returns a function that stops it.
 */
export async function watchReplica(
  engine: Pick<EngineResources, 'database' | 'reads'>,
  maxLagMs: number,
  log: FastifyBaseLogger,
): Promise<() => void> {
  if (!engine.reads.replica) return () => {}
  const first = await findProblem(engine)
  if (first?.isPassing === false) {
    const advice = 'See "Read from a replica" in docs/operations.md.'
    throw new ConfigError(`SKEIN_READ_DATABASE_URL cannot be used: ${first.text}. ${advice}`)
  }
  let told = ''
  const tell = ({ text }: Pick<ReplicaProblem, 'text'> = { text: '' }): void => {
    if (text !== '' && text !== told) log.warn({ problem: text }, 'everything is read from the primary')
    if (text === '' && told !== '') log.info('lists and timelines are read from the replica')
    told = text
  }
  tell(first)
  const timer = repeatAlone(async () => tell(await findProblem(engine)), maxLagMs / SAMPLES_PER_LAG)
  return () => clearInterval(timer)
}

async function findProblem({
  database,
  reads,
}: Pick<EngineResources, 'database' | 'reads'>): Promise<ReplicaProblem | undefined> {
  try {
    await reads.sample()
    if (!reads.replica || reads.isAllowed) return undefined
    const problem = await replicaProblem(database, reads.replica)
    if (!problem) reads.allow()
    return problem
  } catch (error) {
    return { text: String(error), isPassing: true }
  }
}
