import { SkeinError } from '@skein/contract'
import type { EngineResources } from '@skein/engine'
import {
  readAppliedSets,
  readFunctionSet,
  requiredSchemaVersion,
  schemaVersion,
  type Transaction,
} from '@skein/store'
import type { FastifyInstance } from 'fastify'
import { readVersion } from '../version.ts'
import { MAX_SKEW_MS } from '../watch-clock.ts'

/** For orchestrators: is the process alive, and should it get requests? */
export async function installHealth(
  app: FastifyInstance,
  { database, clock }: Pick<EngineResources, 'clock' | 'database'>,
  draining: AbortSignal,
): Promise<void> {
  const [required, functions] = await Promise.all([requiredSchemaVersion(), readFunctionSet()])
  const version = readVersion()
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.get('/healthz', { logLevel: 'warn' }, async () => ({ status: 'ok', version }))
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    if (isStopping || draining.aborted) throw new SkeinError('SERVER_STOPPING')
    const found = await database.urgent.withoutTenant(readSchema)
    if (found.version < required) {
      throw notMigrated(`is at schema ${found.version}; this server needs ${required}`)
    }
    // A newer build may have replaced the functions since. They work for this build too.
    if (!found.functionSets.includes(functions.checksum)) {
      throw notMigrated('does not have the functions of this build')
    }
    const { skewMs = 0 } = clock
    const isOff = Math.abs(skewMs) > MAX_SKEW_MS
    const { isLosing } = database.notifications
    return {
      status: 'ok',
      schemaVersion: found.version,
      ...(isOff && { clockSkewMs: skewMs }),
      ...(isLosing && { notificationsLost: true }),
    }
  })
}

async function readSchema(transaction: Transaction) {
  return { version: await schemaVersion(transaction), functionSets: await readAppliedSets(transaction) }
}

function notMigrated(what: string): SkeinError {
  return new SkeinError('DATABASE_UNAVAILABLE', { message: `The database ${what}. Run the migrations.` })
}
