import { randomBytes } from 'node:crypto'
import { bootstrap, Sweeper, type EngineResources } from '@skein/engine'
import { createApp, openResources, readConfig, type Config } from '@skein/server'
import type { Provider } from '@skein/contract'
import { NO_LIMITS } from './no-limits.ts'
import { TestClient } from './test-client.ts'
import { createTestDatabase, type TestDatabase } from './test-databases.ts'
import { TestTenant } from './test-tenant.ts'

export interface TestServer {
  readonly app: Awaited<ReturnType<typeof createApp>>
  readonly engine: EngineResources
  readonly config: Config
  readonly database: TestDatabase
  /** Everything the server logged, a JSON line each. */
  readonly logLines: readonly string[]
  /** A client without a key. */
  readonly anonymous: TestClient
  createTenant(org?: string, provider?: Provider): Promise<TestTenant>
  /** What every server does twice a second. */
  sweep(): Promise<void>
  close(): Promise<void>
}

export interface TestServerOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** Another server on the same database. */
  readonly database?: TestDatabase
  readonly clock?: EngineResources['clock']
  /** Whether due messages and lost leases are looked after; off where a test moves the clock by itself. */
  readonly sweeps?: boolean
  /** What PostgreSQL tells beside its answers. */
  readonly onNotice?: (message: string) => void
}

/** The real server on a real database of its own. Requests go in through `inject`, without a socket. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase())
  const config = readConfig({
    SKEIN_DATABASE_URL: database.serverUrl,
    SKEIN_MASTER_KEY: MASTER_KEY,
    SKEIN_LOG_LEVEL: 'trace',
    // On a machine that has no time for PostgreSQL just now, a test is late instead of wrong.
    SKEIN_DATABASE_CONNECT_MS: '30000',
    ...NO_LIMITS,
    // Tests of other things give their tenants whatever they need.
    SKEIN_CEILING: 'none',
    ...options.settings,
  })
  const logLines: string[] = []
  const { onNotice = () => {} } = options
  const observer = { onNotice: ({ message }: { message: string }) => onNotice(message) }
  const engine = withClock(openResources(config, database.serverUrl, observer), options.clock)
  const app = await createApp({ config, engine, logStream: { write: (line) => void logLines.push(line) } })
  await app.ready()
  await engine.wakeups.start()
  const sweeper = new Sweeper(engine, (error) => app.log.error({ err: error }, 'a sweep failed'))
  if (options.sweeps === true) sweeper.start()
  const anonymous = new TestClient(app, undefined)
  return {
    app,
    engine,
    config,
    database,
    logLines,
    anonymous,
    async createTenant(org = `org-${randomBytes(4).toString('hex')}`, provider = 'PROVIDER_CODEHOST_APP') {
      const owner = withClock(openResources(config, database.ownerUrl), options.clock)
      try {
        const tenant = { provider, org }
        const account = 'ada'
        const ownerProvider = 'PROVIDER_CODEHOST_OAUTH'
        const admin = await bootstrap(owner, {
          tenant,
          ownerProvider,
          account,
          role: 'admin',
          token: 'admin',
        })
        const operator = await bootstrap(owner, {
          tenant,
          ownerProvider,
          account: 'olga',
          role: 'operator',
          token: 'operator',
        })
        return new TestTenant(app, {
          id: admin.tenantId,
          tenant,
          adminKey: admin.key ?? '',
          operatorKey: operator.key ?? '',
        })
      } finally {
        await owner.database.close()
      }
    },
    sweep: () => sweeper.sweep(),
    async close() {
      await sweeper.stop()
      await app.close()
      await engine.wakeups.stop()
      await engine.schemas.close()
      await engine.database.close()
    },
  }
}

/** One for the whole test process, so that two servers on one database can open each other's seals. */
const MASTER_KEY = randomBytes(32).toString('base64')

function withClock(engine: EngineResources, clock: EngineResources['clock'] | undefined): EngineResources {
  return clock ? { ...engine, clock } : engine
}
