import { ConfigError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import { replicaProblem } from '@skein/store'
import type { FastifyBaseLogger } from 'fastify'
import { repeatAlone } from './http/repeat-alone.ts'

const SAMPLES_PER_LAG = 4

/**
 * Notes where the primary is, so that it is known later how late the replica is, and checks the replica before it is
 * read from, also after a failure. Returns a function that stops it.
 */
export async function watchReplica(
  engine: Pick<EngineResources, 'database' | 'reads'>,
  maxLagMs: number,
  log: FastifyBaseLogger,
): Promise<() => void> {
  if (!engine.reads.replica) return () => {}
  let told = ''
  const look = async (): Promise<void> => {
    const problem = await findProblem(engine).catch((error: unknown) => ({ text: String(error) }))
    const text = problem?.text ?? ''
    if (text !== '' && text !== told) log.warn({ problem: text }, 'everything is read from the primary')
    if (text === '' && told !== '') log.info('lists and timelines are read from the replica')
    told = text
  }
  const problem = await findProblem(engine).catch(() => undefined)
  if (problem?.isPassing === false) {
    const advice = 'See "Read from a replica" in docs/operations.md.'
    throw new ConfigError(`SKEIN_READ_DATABASE_URL cannot be read from: ${problem.text}. ${advice}`)
  }
  await look()
  const timer = repeatAlone(look, maxLagMs / SAMPLES_PER_LAG)
  return () => clearInterval(timer)
}

async function findProblem({ database, reads }: Pick<EngineResources, 'database' | 'reads'>) {
  await reads.sample()
  if (!reads.replica || reads.isAllowed) return undefined
  const problem = await replicaProblem(database, reads.replica)
  if (!problem) reads.allow()
  return problem
}
