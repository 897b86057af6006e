import { setTimeout as pause } from 'node:timers/promises'
import { createTransport, type Transport } from '@skein/client'
import { completeRun, pollRuns, type AgentId, type AgentStatus, type Assignment } from '@skein/contract'
import { migrate } from '@skein/store'
import {
  createServerLogin,
  startPostgresServer,
  startTestServer,
  waitFor,
  type PostgresServer,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'
import { LeaseKeeper } from '../../src/leases/lease-keeper.ts'

/** A service whose PostgreSQL can be taken away, with runs whose leases a real keeper holds. */
export class OutageWorld {
  readonly #postgres: PostgresServer
  readonly #server: TestServer
  readonly #tenant: TestTenant
  readonly #transport: Transport
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []
  /** Leases that a keeper gave up. */
  readonly lost: string[] = []

  private constructor(
    postgres: PostgresServer,
    server: TestServer,
    tenant: TestTenant,
    transport: Transport,
  ) {
    this.#postgres = postgres
    this.#server = server
    this.#tenant = tenant
    this.#transport = transport
  }

  static async start(leaseMs: number): Promise<OutageWorld> {
    const postgres = await startPostgresServer({ durable: true })
    await migrate({ connectionString: postgres.url() })
    const serverUrl = await createServerLogin(postgres.url(), { name: 'skein_app', password: 'outage' })
    const server = await startTestServer({
      database: { name: 'postgres', ownerUrl: postgres.url(), serverUrl, drop: async () => {} },
      settings: { SKEIN_LEASE_MS: String(leaseMs) },
      sweeps: true,
    })
    const baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const tenant = await server.createTenant()
    const token = { account: 'robot', role: 'runner', pools: ['default'] }
    const written = await tenant.operator.write('token', 'runner', token, { justification: 'a test' })
    const transport = createTransport({ baseUrl, apiKey: String(written.document['key']) })
    return new OutageWorld(postgres, server, tenant, transport)
  }

  async startRuns(amount: number): Promise<Assignment[]> {
    for (let number = 0; number < amount; number++) {
      const agentId = { agent: [`agent-${number}`] }
      const answer = await this.#tenant.admin.post('/v1/agent/spawn', { agentId, description: 'Work.' })
      if (answer.status !== 200) throw new Error(answer.text)
    }
    const taken: Assignment[] = []
    while (taken.length < amount) {
      const { runs } = await this.#transport.call(pollRuns, { body: { capacity: 100 } })
      taken.push(...runs)
    }
    return taken
  }

  /** A runner's keeper for these runs, until it is stopped. */
  keep(runs: readonly Assignment[]): { stop(): void } {
    const stopping = new AbortController()
    const keeper = new LeaseKeeper(this.#transport, Date.now)
    for (const { lease, leaseMs } of runs) {
      keeper.hold(lease, { leaseMs, onCommand: () => {}, onLost: () => void this.lost.push(lease) })
    }
    this.#loops.push(keeper.keep(AbortSignal.any([stopping.signal, this.#closing.signal])))
    return { stop: () => stopping.abort() }
  }

  async outage(lengthMs: number): Promise<void> {
    await this.#postgres.kill()
    await pause(lengthMs)
    await this.#postgres.start()
  }

  /** Whether the report counted. */
  async finish({ lease }: Assignment): Promise<boolean> {
    const body = { lease, outcome: { reason: 'finished' as const } }
    const { accepted } = await this.#transport.call(completeRun, { body })
    return accepted
  }

  async status(agentId: AgentId): Promise<AgentStatus> {
    const { status, text, body } = await this.#tenant.admin.post('/v1/agent/status', { agentId })
    if (status !== 200) throw new Error(text)
    return body as unknown as AgentStatus
  }

  untilBack(): Promise<unknown> {
    return waitFor(async () => (await this.#server.anonymous.get('/readyz')).status === 200, {
      what: 'the service to be back',
      timeoutMs: 30_000,
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#loops)
    await this.#server.close()
    await this.#postgres.stop()
  }
}
