import { Scheduler } from '@skein/engine'
import { FiringStore, type Firing } from '@skein/store'
import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'

export const NINE = Date.UTC(2026, 10, 17, 9)
export const SECOND_MS = 1000
export const MINUTE_MS = 60_000

/** A tenant with schedules, on a clock that only the test moves. */
export class ScheduleWorld {
  readonly server: TestServer
  readonly clock: TestClock
  readonly tenant: TestTenant
  readonly owner: Client
  readonly errors: unknown[] = []
  readonly scheduler: Scheduler

  private constructor(server: TestServer, clock: TestClock, tenant: TestTenant, owner: Client) {
    this.server = server
    this.clock = clock
    this.tenant = tenant
    this.owner = owner
    this.scheduler = new Scheduler(server.engine, (error) => this.errors.push(error))
  }

  static async start(): Promise<ScheduleWorld> {
    const clock = new TestClock(NINE)
    const server = await startTestServer({ clock })
    const tenant = await server.createTenant()
    const owner = new Client({ connectionString: server.database.ownerUrl })
    await owner.connect()
    const world = new ScheduleWorld(server, clock, tenant, owner)
    await world.furnish(tenant)
    return world
  }

  async close(): Promise<void> {
    await this.owner.end()
    await this.server.close()
    if (this.errors.length > 0) throw new AggregateError(this.errors, 'firing schedules failed')
  }

  async furnish(tenant: TestTenant): Promise<void> {
    await must(tenant.admin.write('profile', 'night', {}))
    await must(tenant.admin.write('workspace', 'shop', {}))
  }

  /** Every minute, starting an agent, unless the fields say otherwise. */
  async write(name: string, fields: Record<string, unknown> = {}): Promise<void> {
    const timing = 'cron' in fields || 'every' in fields ? {} : { cron: '* * * * *' }
    const action = 'send' in fields || 'spawn' in fields ? {} : { spawn: { description: 'Tidy up.' } }
    await must(
      this.tenant.admin.write('schedule', name, {
        profile: 'night',
        workspace: 'shop',
        ...timing,
        ...action,
        ...fields,
      }),
    )
    await this.scheduler.runDue()
  }

  /** The clock moves on step by step, and at each the server does what it has to. */
  async pass(durationMs: number, stepMs = 5 * SECOND_MS): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      this.clock.advance(stepMs)
      await this.scheduler.runDue()
    }
  }

  /** Oldest first. */
  async firings(name: string): Promise<Firing[]> {
    const found = await this.server.engine.database.forTenant(this.tenant.id, (transaction) =>
      new FiringStore(transaction).page(name, undefined, 1000),
    )
    return found.reverse()
  }

  /** Minutes after nine with the outcome, such as `1 started`. */
  async log(name: string): Promise<string[]> {
    const firings = await this.firings(name)
    return firings.map(({ dueAt, outcome }) => `${(dueAt - NINE) / MINUTE_MS} ${outcome}`)
  }

  /** The profile's agents with their incarnations, by name. */
  async agents(): Promise<string[]> {
    const { rows } = await this.owner.query<{ name: string; phase: string; lives: string }>(
      `select state -> 'identity' -> 'path' ->> 0 as name, phase, state ->> 'incarnation' as lives from agent
       where tenant_id = $1 and account = 'night' order by created_at, name`,
      [this.tenant.id],
    )
    return rows.map(
      ({ name, phase, lives }) => `${name} ${lives} ${phase.replace('PHASE_', '').toLowerCase()}`,
    )
  }

  agentId(name: string) {
    return { workspace: 'shop', account: 'night', ownerProvider: 'PROVIDER_SERVICE_PROFILE', agent: [name] }
  }

  async kill(name: string): Promise<void> {
    await must(this.tenant.admin.post('/v1/agent/kill', { agentId: this.agentId(name) }))
  }
}

export async function must<Answer extends { readonly status: number; readonly text: string }>(
  sent: Promise<Answer>,
): Promise<Answer> {
  const answer = await sent
  if (answer.status !== 200) throw new Error(`Refused with ${answer.status}: ${answer.text}`)
  return answer
}
