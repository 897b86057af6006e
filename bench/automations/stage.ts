import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findFreePort } from '@skein/host'
import { NO_LIMITS, startPostgresServer, type PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { prepareDatabase, serverCommand } from '../../e2e/crash/installation/database.ts'

export interface Stage {
  readonly baseUrl: string
  readonly adminKey: string
  readonly tenantId: string
  readonly ownerUrl: string
  readonly serverPid: number
  /** Returns the key of the administrator. */
  createTenant(org: string): Promise<string>
  stop(): Promise<void>
}

/** A durable PostgreSQL, as in production, and one server process of the source tree at `root`. */
export async function setStage(settings: Readonly<Record<string, string>> = {}, root = '.'): Promise<Stage> {
  const postgres = await startPostgresServer({
    durable: true,
    settings: ['shared_buffers=1GB', 'max_wal_size=8GB', 'max_connections=300'],
  })
  const ownerUrl = postgres.url('postgres')
  const { serverUrl, masterKey, adminKey } = await prepareDatabase(ownerUrl, root)
  const port = await findFreePort()
  const server = spawn(process.execPath, [join(root, 'packages/server/src/main.ts'), 'serve'], {
    env: {
      ...process.env,
      SKEIN_MASTER_KEY: masterKey,
      SKEIN_DATABASE_URL: serverUrl,
      SKEIN_LOG_LEVEL: 'error',
      ...NO_LIMITS,
      SKEIN_CEILING: 'none',
      ...settings,
      SKEIN_PORT: port.toString(),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await untilReady(baseUrl)
  return {
    baseUrl,
    adminKey,
    tenantId: await findTenantId(ownerUrl),
    ownerUrl,
    serverPid: server.pid ?? 0,
    createTenant: async (org) => {
      const env = { SKEIN_OWNER_DATABASE_URL: ownerUrl, SKEIN_MASTER_KEY: masterKey }
      const args = ['bootstrap', '--org', org, '--account', 'ada', '--json']
      return (JSON.parse(await serverCommand(root, args, env)) as { key: string }).key
    },
    stop: () => stop(server, postgres),
  }
}

async function untilReady(baseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const isReady = await fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The server did not become ready')
}

async function findTenantId(ownerUrl: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query<{ id: string }>('select id from tenant')
  await client.end()
  return rows[0]?.id ?? ''
}

async function stop(server: ChildProcess, postgres: PostgresServer): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const exited = once(server, 'exit')
    server.kill('SIGTERM')
    await exited
  }
  await postgres.stop()
}
