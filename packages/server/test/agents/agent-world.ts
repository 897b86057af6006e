import type {
  AgentId,
  AgentStatus,
  Assignment,
  CompleteRunRequest,
  EventType,
  TimelineEvent,
} from '@skein/contract'
import { Sweeper } from '@skein/engine'
import {
  startTestServer,
  waitFor,
  type TestAnswer,
  type TestClient,
  type TestServer,
  type TestServerOptions,
  type TestTenant,
} from '@skein/testkit'
import { Client } from 'pg'

type Fields = Readonly<Record<string, unknown>>
type Outcome = CompleteRunRequest['outcome']

export interface StartedRun {
  readonly agentId: AgentId
  readonly run: Assignment
}

/** A server, a tenant with its admin, and a runner that executes exactly what a test tells it to. */
export class AgentWorld {
  readonly server: TestServer
  readonly tenant: TestTenant
  readonly runner: TestClient
  readonly #taken: Assignment[] = []

  private constructor(server: TestServer, tenant: TestTenant, runner: TestClient) {
    this.server = server
    this.tenant = tenant
    this.runner = runner
  }

  static async start(options: TestServerOptions = {}): Promise<AgentWorld> {
    const server = await startTestServer(options)
    return AgentWorld.in(server, await server.createTenant())
  }

  /** Another tenant, or another look at one, on a server that runs already. */
  static async in(server: TestServer, tenant: TestTenant): Promise<AgentWorld> {
    const world = new AgentWorld(server, tenant, tenant.client(await runnerKey(tenant)))
    return world
  }

  /** Another tenant on a server that runs already, with these quotas. */
  static async withQuota(server: TestServer, quota: Fields): Promise<AgentWorld> {
    const world = await AgentWorld.in(server, await server.createTenant())
    must(await world.admin.write('quota', 'default', quota))
    return world
  }

  get admin(): TestClient {
    return this.tenant.admin
  }

  close(): Promise<void> {
    return this.server.close()
  }

  /** A whole agent id, as the service answers it. */
  async spawn(name: string | readonly string[], fields: Fields = {}, by = this.admin): Promise<AgentId> {
    const agent = typeof name === 'string' ? [name] : name
    const { agentId, ...rest } = fields
    const answer = await by.post('/v1/agent/spawn', {
      agentId: { agent, ...(agentId as object | undefined) },
      description: 'Work.',
      ...rest,
    })
    return must(answer).body['agentId'] as AgentId
  }

  queue(agentId: AgentId, fields: Fields = {}, by = this.admin): Promise<TestAnswer> {
    return by.post('/v1/agent/queue', { agentId, description: 'More.', ...fields })
  }

  stop(agentId: AgentId, runId: unknown, mode?: string): Promise<TestAnswer> {
    return this.admin.post('/v1/agent/stop-turn', { agentId, runId, ...(mode !== undefined && { mode }) })
  }

  async kill(agentId: AgentId): Promise<void> {
    must(await this.admin.post('/v1/agent/kill', { agentId }))
  }

  async status(agentId: AgentId, by = this.admin): Promise<AgentStatus> {
    const answer = must(await by.post('/v1/agent/status', { agentId }))
    return answer.body as unknown as AgentStatus
  }

  async phase(agentId: AgentId): Promise<string> {
    return (await this.status(agentId)).phase
  }

  async timeline(agentId: AgentId): Promise<TimelineEvent[]> {
    return must(await this.admin.post('/v1/agent/timeline', { agentId })).body['events'] as TimelineEvent[]
  }

  async events<Type extends EventType>(
    agentId: AgentId,
    type: Type,
  ): Promise<Extract<TimelineEvent, { type: Type }>[]> {
    const all = await this.timeline(agentId)
    return all.filter((event): event is Extract<TimelineEvent, { type: Type }> => event.type === type)
  }

  async poll(capacity = 100, by = this.runner): Promise<Assignment[]> {
    return must(await by.post('/v1/runner/poll', { capacity })).body['runs'] as Assignment[]
  }

  /** The next run of this agent. Runs of others that arrive are kept for later calls. */
  take(agentId: AgentId): Promise<Assignment> {
    return waitFor(
      async () => {
        this.#taken.push(...(await this.poll()))
        const index = this.#taken.findIndex((run) => run.agentId.agent.join() === agentId.agent.join())
        return index === -1 ? undefined : this.#taken.splice(index, 1)[0]
      },
      { what: `a run of ${agentId.agent.join('/')}` },
    )
  }

  /** Whether the agent has a run that a runner would get now. */
  async hasRun(agentId: AgentId): Promise<boolean> {
    this.#taken.push(...(await this.poll()))
    return this.#taken.some((run) => run.agentId.agent.join() === agentId.agent.join())
  }

  /** An agent whose first turn is running. */
  async running(name: string | readonly string[], fields: Fields = {}): Promise<StartedRun> {
    const agentId = await this.spawn(name, fields)
    return { agentId, run: await this.take(agentId) }
  }

  /** An agent that waits for input. */
  async resting(name: string, fields: Fields = {}): Promise<AgentId> {
    const { agentId, run } = await this.running(name, fields)
    await this.complete(run, { reason: 'rested' })
    return agentId
  }

  /** Whether the report counted. */
  async complete({ lease }: Assignment, outcome: Outcome, by = this.runner): Promise<boolean> {
    return must(await by.post('/v1/runner/complete', { lease, outcome })).body['accepted'] === true
  }

  beat({ lease }: Assignment, report: Fields = {}, by = this.runner): Promise<TestAnswer> {
    const { waitMs, ...rest } = report
    return by.post('/v1/runner/heartbeat', {
      runs: [{ lease, ...rest }],
      ...(waitMs !== undefined && { waitMs }),
    })
  }

  /** What every server does twice a second. */
  async sweep(): Promise<void> {
    await new Sweeper(this.server.engine, () => {}).sweep()
  }

  /** As the owner of the tables: for what no caller can bring about, such as the passing of time. */
  async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.server.database.ownerUrl })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Every back-off of the tenant is over. */
  async skipBackOff(): Promise<void> {
    await this.sql('update run set available_at = now() where tenant_id = $1', [this.tenant.id])
  }

  /** The runner of this run has been silent for too long. */
  async expireLease({ runId, attempt, lease }: Assignment): Promise<void> {
    const agentUuid = lease.split('.')[1]
    await this.sql(
      `update lease set expires_at = '-infinity'
       where agent_id = $1 and run_id = $2 and attempt = $3`,
      [agentUuid, runId, attempt],
    )
  }
}

export function must(answer: TestAnswer): TestAnswer {
  if (answer.status !== 200) throw new Error(`Refused with ${answer.status}: ${answer.text}`)
  return answer
}

/** The key of a fresh runner token for the pool `default`. */
export async function runnerKey(tenant: TestTenant, name = 'runner', fields: Fields = {}): Promise<string> {
  const document = { account: 'robot', role: 'runner', pools: ['default'], ...fields }
  const answer = await tenant.operator.write('token', name, document, { justification: 'a test' })
  return String(must(answer).document['key'])
}
