import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgresServer, type PostgresServer } from '@skein/testkit'

const execute = promisify(execFile)

export interface ReplicatedPostgres {
  readonly primary: PostgresServer
  readonly replica: PostgresServer
  stop(): Promise<void>
}

/** A primary with what `prepare` put into it, and a streaming replica that is so many seconds late. */
export async function startReplicated(
  lagSeconds: number,
  prepare: (primary: PostgresServer) => Promise<void>,
): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-replicated-'))
  // PostgreSQL does not run as root.
  await execute('chmod', ['0755', folder])
  const primary = await startPostgresServer({ dataDir: join(folder, 'primary') })
  await prepare(primary)
  // A copy of a server that is shut down needs no pg_basebackup, which the package from npm lacks.
  await primary.stop()
  await execute('cp', ['-a', join(folder, 'primary'), join(folder, 'replica')])
  await primary.start()
  const { password } = new URL(primary.url())
  await writeFile(join(folder, 'replica/pgdata/standby.signal'), '')
  const replica = await startPostgresServer({
    dataDir: join(folder, 'replica'),
    settings: [
      `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres password=${password}`,
      `recovery_min_apply_delay=${lagSeconds}s`,
    ],
  })
  return {
    primary,
    replica,
    async stop() {
      await replica.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
