import { SkeinError } from '@skein/contract'
import { requiredSchemaVersion, schemaVersion, type Database } from '@skein/store'
import type { FastifyInstance } from 'fastify'

/** What an orchestrator asks: is the process alive, and should it get requests? */
export async function installHealth(app: FastifyInstance, database: Database): Promise<void> {
  const required = await requiredSchemaVersion()
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.get('/healthz', { logLevel: 'warn' }, async () => ({ status: 'ok' }))
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    if (isStopping) throw new SkeinError('SERVER_STOPPING')
    const found = await database.withoutTenant(schemaVersion)
    if (found < required) {
      throw new SkeinError('DATABASE_UNAVAILABLE', {
        message: `The database is at schema ${found}; this server needs ${required}. Run the migrations.`,
      })
    }
    return { status: 'ok', schemaVersion: found }
  })
}
