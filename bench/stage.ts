import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { bootstrap } from '@skein/engine'
import { findFreePort } from '@skein/host'
import { openResources, readConfig } from '@skein/server'
import { migrate } from '@skein/store'
import { NO_LIMITS, startPostgresServer } from '@skein/testkit'
import { Client } from 'pg'

export interface Stage {
  readonly baseUrl: string
  readonly adminKey: string
  readonly tenantId: string
  readonly ownerUrl: string
  /** The login of the server. */
  readonly serverUrl: string
  readonly serverPid: number
  /** All servers, the first one among them. */
  readonly servers: readonly ServerProcess[]
  /** Another tenant, with the key of its admin. */
  createTenant(org: string): Promise<{ readonly key: string; readonly tenantId: string }>
  stop(): Promise<void>
}

interface ServerProcess {
  readonly baseUrl: string
  readonly pid: number
}

/** A durable PostgreSQL, as in production, and one server process, or several. */
export async function setStage(
  settings: Readonly<Record<string, string>> = {},
  serverCount = 1,
): Promise<Stage> {
  const postgres = await startPostgresServer({
    durable: true,
    settings: ['shared_buffers=1GB', 'max_wal_size=8GB', 'max_connections=300'],
  })
  const ownerUrl = postgres.url('postgres')
  await migrate({ connectionString: ownerUrl })
  const serverUrl = await createLogin(ownerUrl)
  const environment = {
    SKEIN_MASTER_KEY: randomBytes(32).toString('base64'),
    SKEIN_DATABASE_URL: serverUrl,
    SKEIN_LOG_LEVEL: 'warn',
    ...NO_LIMITS,
    SKEIN_CEILING: 'none',
    ...settings,
  }
  const createTenant = async (org: string) => {
    const owner = openResources(readConfig(environment), ownerUrl)
    const { key = '', tenantId } = await bootstrap(owner, {
      tenant: { provider: 'PROVIDER_CODEHOST_APP', org },
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      role: 'admin',
      token: 'admin',
    })
    await owner.database.close()
    return { key, tenantId }
  }
  const { key, tenantId } = await createTenant('bench')
  const processes: ChildProcess[] = []
  const servers: ServerProcess[] = []
  for (let index = 0; index < serverCount; index++) {
    const port = await findFreePort()
    const server = spawn(process.execPath, ['packages/server/src/main.ts', 'serve'], {
      env: { ...process.env, ...environment, SKEIN_PORT: port.toString() },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    processes.push(server)
    servers.push({ baseUrl: `http://127.0.0.1:${port}`, pid: server.pid ?? 0 })
  }
  await Promise.all(servers.map(({ baseUrl }) => untilReady(baseUrl)))
  const [first] = servers
  if (!first) throw new TypeError('A stage has a server')
  return {
    baseUrl: first.baseUrl,
    adminKey: key,
    tenantId,
    ownerUrl,
    serverUrl,
    serverPid: first.pid,
    servers,
    createTenant,
    async stop() {
      await Promise.all(processes.map(stopProcess))
      await postgres.stop()
    },
  }
}

export async function untilReady(baseUrl: string): Promise<void> {
  // Three minutes, for a machine that others use too.
  for (let attempt = 0; attempt < 3600; attempt++) {
    const isReady = await fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The server did not become ready')
}

async function createLogin(ownerUrl: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query(`create role bench_server login password 'bench' in role skein_server`)
  await client.end()
  const url = new URL(ownerUrl)
  url.username = 'bench_server'
  url.password = 'bench'
  return url.href
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
