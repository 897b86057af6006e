import { randomBytes } from 'node:crypto'
import { bootstrap, Scheduler, Sweeper, TriggerLoops, type EngineResources } from '@skein/engine'
import {
  closeResources,
  createApp,
  openResources,
  readConfig,
  startAutomations,
  type Config,
} from '@skein/server'
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
  /** Everything the server logged, one JSON line each. */
  readonly logLines: readonly string[]
  /** A client without a key. */
  readonly anonymous: TestClient
  createTenant(org?: string, provider?: Provider): Promise<TestTenant>
  /** What every server does twice a second. */
  sweep(): Promise<void>
  /** Carries out all firings of schedules that are due. */
  fireSchedules(): Promise<void>
  /** Applies what triggers received. */
  applyTriggers(): Promise<void>
  /** Sends webhooks and messages until the returned function is called. */
  startAutomations(): () => Promise<void>
  close(): Promise<void>
}

export interface TestServerOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** To start another server on the same database. */
  readonly database?: TestDatabase
  readonly clock?: EngineResources['clock']
  /** Whether the sweeper runs; off for tests that move the clock themselves. */
  readonly sweeps?: boolean
  /** Receives PostgreSQL's notices. */
  readonly onNotice?: (message: string) => void
}

/** The real server with its own real database. Requests go through `inject`, without a socket. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase())
  const config = readConfig({
    SKEIN_DATABASE_URL: database.serverUrl,
    SKEIN_MASTER_KEY: MASTER_KEY,
    SKEIN_LOG_LEVEL: 'trace',
    // If the machine has no time for PostgreSQL right now, a test is late instead of failing.
    SKEIN_DATABASE_CONNECT_MS: '30000',
    ...NO_LIMITS,
    // Tests of other things can give their tenants whatever they need.
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
  const triggers = new TriggerLoops(engine, (error) =>
    app.log.error({ err: error }, 'applying triggers failed'),
  )
  const scheduler = new Scheduler(engine, (error) => app.log.error({ err: error }, 'firing schedules failed'))
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
    fireSchedules: () => scheduler.runDue(),
    applyTriggers: () => triggers.runDue(),
    startAutomations: () => startAutomations(engine, config, app.log),
    async close() {
      await sweeper.stop()
      await app.close()
      await closeResources(engine)
    },
  }
}

/** One per test process, so that two servers on one database can open each other's sealed values. */
const MASTER_KEY = randomBytes(32).toString('base64')

function withClock(engine: EngineResources, clock: EngineResources['clock'] | undefined): EngineResources {
  return clock ? { ...engine, clock } : engine
}
