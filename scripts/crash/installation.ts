import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bootstrap } from '@skein/engine'
import { openResources, readConfig } from '@skein/server'
import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { Random } from '../fuzz/random.ts'
import { startBalancer, type Balancer } from './balancer.ts'
import { Supervised } from './supervised.ts'

const SERVERS = 3
const RUNNERS = 3
/** Short, so that runs of killed runners are retried many times within the test. */
const LEASE_MS = 4_000

const serverScript = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))
const runnerScript = fileURLToPath(new URL('runner.ts', import.meta.url))

/** Everything that a small production has: PostgreSQL, servers behind a balancer, runners. */
export interface Installation {
  readonly postgres: PostgresServer
  readonly servers: readonly Supervised[]
  readonly runners: readonly Supervised[]
  /** Of each server, whether it is up or not. */
  readonly serverUrls: readonly string[]
  readonly runnerLogs: readonly string[]
  readonly adminKey: string
  readonly folder: string
  stop(keepLogs: boolean): Promise<void>
}

export async function install(seed: number): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-crash-'))
  const postgres = await startPostgresServer({
    durable: true,
    settings: ['checkpoint_timeout=30s', 'max_wal_size=256MB'],
  })
  const masterKey = randomBytes(32).toString('base64')
  const { serverUrl, adminKey } = await prepareDatabase(postgres.url(), masterKey)
  const ports = await Promise.all(Array.from({ length: SERVERS }, freePort))
  const serverUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  const servers = ports.map((port, index) =>
    superviseServer(index, port, folder, {
      SKEIN_DATABASE_URL: serverUrl,
      SKEIN_MASTER_KEY: masterKey,
      SKEIN_PORT: String(port),
      SKEIN_LEASE_MS: String(LEASE_MS),
      SKEIN_LOG_LEVEL: 'error',
      SKEIN_ADDRESS_REQUESTS_PER_MINUTE: '0',
      SKEIN_CALLER_REQUESTS_PER_MINUTE: '0',
      SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
    }),
  )
  for (const server of servers) server.start()
  await untilReady(servers)
  const balancer = await startBalancer(ports, new Random(seed, 7))
  const keys = await Promise.all(
    Array.from({ length: RUNNERS }, (_, index) => createRunnerKey(serverUrls[0] ?? '', adminKey, index)),
  )
  const runnerLogs = keys.map((_, index) => join(folder, `runner-${index}.jsonl`))
  const runners = keys.map((key, index) =>
    superviseRunner(index, folder, {
      SKEIN_URL: balancer.url,
      SKEIN_API_KEY: key,
      CRASH_RUNNER_LOG: runnerLogs[index] ?? '',
    }),
  )
  for (const runner of runners) runner.start()
  await untilReady(runners)
  return {
    postgres,
    servers,
    runners,
    serverUrls,
    runnerLogs,
    adminKey,
    folder,
    stop: (keepLogs) => stopAll({ postgres, servers, runners, balancer, folder }, keepLogs),
  }
}

async function stopAll(
  {
    postgres,
    servers,
    runners,
    balancer,
    folder,
  }: Pick<Installation, 'postgres' | 'servers' | 'runners' | 'folder'> & { balancer: Balancer },
  keepLogs: boolean,
): Promise<void> {
  await Promise.all(runners.map((runner) => runner.stop()))
  await Promise.all(servers.map((server) => server.stop()))
  await balancer.stop()
  await postgres.stop()
  if (!keepLogs) rmSync(folder, { recursive: true, force: true })
}

function superviseServer(
  index: number,
  port: number,
  folder: string,
  env: Readonly<Record<string, string>>,
): Supervised {
  return new Supervised({
    name: `server-${index}`,
    script: serverScript,
    args: ['serve'],
    env,
    logFile: join(folder, `server-${index}.log`),
    isReady: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) })
      await response.arrayBuffer()
      return response.ok
    },
  })
}

function superviseRunner(index: number, folder: string, env: Readonly<Record<string, string>>): Supervised {
  return new Supervised({
    name: `runner-${index}`,
    script: runnerScript,
    args: [],
    env,
    logFile: join(folder, `runner-${index}.log`),
    isReady: async (pid) => (await readFile(`${env['CRASH_RUNNER_LOG']}.ready`, 'utf8')) === String(pid),
  })
}

function untilReady(processes: readonly Supervised[]): Promise<boolean> {
  return waitFor(() => processes.every(({ isReady }) => isReady), {
    what: `${processes.map(({ name }) => name).join(', ')} to be ready`,
    timeoutMs: 60_000,
    intervalMs: 50,
  })
}

async function prepareDatabase(
  ownerUrl: string,
  masterKey: string,
): Promise<{ serverUrl: string; adminKey: string }> {
  await migrate({ connectionString: ownerUrl })
  const serverUrl = await createServerLogin(ownerUrl, {
    name: 'skein_crash',
    password: randomBytes(16).toString('hex'),
  })
  const owner = openResources(readConfig({ SKEIN_MASTER_KEY: masterKey }), ownerUrl)
  try {
    const { key = '' } = await bootstrap(owner, {
      tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'crash' },
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      role: 'admin',
      token: 'admin',
    })
    return { serverUrl, adminKey: key }
  } finally {
    await owner.database.close()
  }
}

async function createRunnerKey(url: string, adminKey: string, index: number): Promise<string> {
  const document = { account: `runner-${index}`, role: 'runner', pools: ['default'] }
  const response = await fetch(`${url}/v1/catalog/token/runner-${index}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(JSON.stringify(document)).toString('base64') }),
  })
  const { payload } = (await response.json()) as { payload: string }
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { key: string }).key
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
