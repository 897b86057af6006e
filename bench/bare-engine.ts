import { randomBytes, randomUUID } from 'node:crypto'
import { Pool, type PoolClient, type QueryResultRow } from 'pg'
import type { SeededAgent } from './seed.ts'

/**
 * The minimum cost of each operation: the locks and rows that it cannot do without, written by hand with the same
 * driver in as few round trips. No rules, no row-level security, no totals, and no authentication: whatever Skein does
 * beyond this counts against it.
 */
export class BareEngine {
  readonly #pool: Pool
  readonly #tenantId: string

  constructor(connectionString: string, tenantId: string, connections: number) {
    this.#pool = new Pool({
      connectionString,
      max: connections,
      pipeline: true,
      // The same plans as the server's.
      options: '-c enable_seqscan=off -c enable_mergejoin=off',
    })
    this.#tenantId = tenantId
  }

  async read(key: string): Promise<object> {
    const { rows } = await this.#pool.query<{ state: object }>({
      name: 'bare_read',
      text: 'select state from agent where tenant_id = $1 and key = $2',
      values: [this.#tenantId, key],
    })
    const [row] = rows
    if (!row) throw new Error(`There is no agent ${key}`)
    return row.state
  }

  async list(limit: number): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#pool.query<{ state: Record<string, unknown> }>({
      name: 'bare_list',
      text: `select state from agent where tenant_id = $1 and parent_key = '' and not is_terminal
             order by created_at desc, id desc limit $2`,
      values: [this.#tenantId, limit],
    })
    return rows.map(({ state }) => state)
  }

  queue(agent: SeededAgent): Promise<void> {
    return this.#transaction(async (send) => {
      const commandId = randomBytes(32)
      const followUpId = randomUUID()
      const [, , loaded] = await Promise.all([
        this.#lockCommand(send, commandId),
        this.#lockTree(send, agent.key),
        send<Loaded>(
          'bare_load',
          `select a.state,
             exists (select from command c where c.tenant_id = $1 and c.id = $3 and c.created_at > now() - interval '1 day') as done,
             exists (select from follow_up f where f.agent_id = a.id and f.follow_up_id = $4) as known,
             (select r.document from resource r where r.tenant_id = $1 and r.kind = 'quota' and r.name = 'default') as quota
           from agent a where a.tenant_id = $1 and a.key = $2`,
          [this.#tenantId, agent.key, commandId, followUpId],
        ),
      ])
      const { state, sequence } = advance(loaded[0], 3, 'PHASE_PENDING')
      return [
        this.#updateAgent(send, agent.id, state),
        this.#addEvents(send, agent.id, sequence, 3),
        this.#addFollowUp(send, agent.id, followUpId, sequence),
        this.#addRun(send, agent.id, agent.key),
        this.#addCommand(send, commandId),
      ]
    })
  }

  /** Like the given agent, under a new name. */
  spawn(template: string, name: string): Promise<void> {
    return this.#transaction(async (send) => {
      const commandId = randomBytes(32)
      const followUpId = randomUUID()
      const id = randomUUID()
      const key = `default/PROVIDER_CODEHOST_OAUTH/ada/${name}`
      const [, , loaded] = await Promise.all([
        this.#lockCommand(send, commandId),
        this.#lockTree(send, key),
        send<Loaded>(
          'bare_plan',
          `select a.state,
             exists (select from command c where c.tenant_id = $1 and c.id = $3 and c.created_at > now() - interval '1 day') as done,
             exists (select from agent e where e.tenant_id = $1 and e.key = $4) as known,
             (select json_agg(r.document) from resource r where r.tenant_id = $1
                and (r.kind, r.name) in (('quota', 'default'), ('workspace', 'default'), ('persona', 'default'))) as documents
           from agent a where a.tenant_id = $1 and a.key = $2`,
          [this.#tenantId, template, commandId, key],
        ),
      ])
      const { state } = advance(loaded[0], 0, 'PHASE_PENDING')
      const own = JSON.stringify({
        ...state,
        id,
        identity: { ...state.identity, path: [name] },
        sequence: '3',
      })
      return [
        send(
          'bare_spawn',
          `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool, phase,
             is_terminal, labels, cost_micros, state, created_at, updated_at)
           values ($1, $2, $3, $3, '', 'PROVIDER_CODEHOST_OAUTH', 'ada', 'default', 'default', 'PHASE_PENDING', false, '{}',
             0, $4, now(), now())`,
          [id, this.#tenantId, key, own],
        ),
        this.#addEvents(send, id, 0n, 3),
        this.#addFollowUp(send, id, followUpId, 0n),
        this.#addRun(send, id, key),
        this.#addCommand(send, commandId),
        send(
          'bare_audit',
          `insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account, role,
             token, justification, request_id)
           values ($1, $2, now(), 'spawnAgent', 'agent', $3, 0, 'PROVIDER_CODEHOST_OAUTH', 'ada', 'admin', 'admin', '', $4)`,
          [this.#tenantId, randomUUID(), name, randomUUID()],
        ),
      ]
    })
  }

  /** The longest-waiting run, started, with its messages. */
  async claim(): Promise<ClaimedBare> {
    let claimed: ClaimedBare | undefined
    await this.#transaction(async (send) => {
      const [run] = await send<ClaimedBare>(
        'bare_claim',
        `with next as (
           select agent_id from run where tenant_id = $1 and pool = 'default' and not is_leased and available_at <= now()
           order by available_at limit 1 for update skip locked
         ), leased as (
           insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
           select agent_id, $1, 2, 1, 'bare', now() + interval '1 day' from next
         )
         update run set is_leased = true from next where run.agent_id = next.agent_id
         returning run.agent_id as id, run.agent_key as key`,
        [this.#tenantId],
      )
      if (!run) throw new Error('There is no run to claim')
      claimed = run
      const commandId = randomBytes(32)
      const [, loaded, pending] = await Promise.all([
        this.#lockTree(send, run.key),
        send<Loaded>('bare_load_run', 'select state from agent where tenant_id = $1 and key = $2', [
          this.#tenantId,
          run.key,
        ]),
        send<{ follow_up_id: string; body: object }>(
          'bare_pending',
          `select follow_up_id, body from follow_up where agent_id = $1 and state in ('QUEUED', 'DEFERRED')
           order by position limit 20`,
          [run.id],
        ),
      ])
      const { state, sequence } = advance(loaded[0], 3, 'PHASE_RUNNING')
      return [
        this.#updateAgent(send, run.id, state),
        this.#addEvents(send, run.id, sequence, 3),
        ...pending.map(({ follow_up_id: id }) =>
          send(
            'bare_deliver',
            `update follow_up set state = 'DELIVERED', run_id = 2 where agent_id = $1 and follow_up_id = $2`,
            [run.id, id],
          ),
        ),
        this.#addCommand(send, commandId),
      ]
    })
    if (!claimed) throw new Error('A claim returns its run')
    return claimed
  }

  complete({ id, key }: ClaimedBare): Promise<void> {
    return this.#transaction(async (send) => {
      const commandId = randomBytes(32)
      const [, , loaded] = await Promise.all([
        this.#lockCommand(send, commandId),
        this.#lockTree(send, key),
        send<Loaded & { runner: string | null }>(
          'bare_load_lease',
          `select a.state, (select l.runner from lease l where l.agent_id = a.id and l.run_id = 2 and l.attempt = 1) as runner
           from agent a where a.tenant_id = $1 and a.key = $2`,
          [this.#tenantId, key],
        ),
      ])
      if (loaded[0]?.runner !== 'bare') throw new Error(`The run of ${key} is not leased`)
      const { state, sequence } = advance(loaded[0], 2, 'PHASE_WAITING')
      return [
        this.#updateAgent(send, id, state),
        this.#addEvents(send, id, sequence, 2),
        send('bare_end_run', 'delete from run where agent_id = $1', [id]),
        send('bare_end_lease', 'delete from lease where agent_id = $1', [id]),
        this.#addCommand(send, commandId),
      ]
    })
  }

  async #transaction(work: (send: Send) => Promise<Promise<unknown>[]>): Promise<void> {
    const client = await this.#pool.connect()
    try {
      const [, writes] = await Promise.all([client.query('begin'), work(sender(client))])
      await Promise.all([...writes, client.query('commit')])
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  #lockCommand(send: Send, id: Buffer) {
    return send('bare_lock_command', `select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 1))`, [
      id,
    ])
  }

  #lockTree(send: Send, key: string) {
    return send('bare_lock_tree', 'select pg_advisory_xact_lock(hashtextextended($1, 2))', [
      `${this.#tenantId}/${key}`,
    ])
  }

  #updateAgent(send: Send, id: string, state: BareState) {
    return send('bare_agent', 'update agent set phase = $3, state = $2, updated_at = now() where id = $1', [
      id,
      JSON.stringify(state),
      state.phase,
    ])
  }

  #addEvents(send: Send, id: string, sequence: bigint, amount: number) {
    return Promise.all([
      send(
        'bare_timeline',
        `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
         select $1, $2, $3::bigint + n, now(), 'ada', $4::json from generate_series(1, $5::int) n`,
        [this.#tenantId, id, sequence, '{"type":"follow-up.queued"}', amount],
      ),
      send(
        'bare_outbox',
        `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
         values ($1, $2, $3::bigint + 1, $3::bigint + $4::int, now())`,
        [this.#tenantId, id, sequence, amount],
      ),
    ])
  }

  #addFollowUp(send: Send, id: string, followUpId: string, sequence: bigint) {
    const body = { followUpId, description: 'more', tasks: [], override: {}, createdAt: Date.now() }
    return send(
      'bare_follow_up',
      `insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at)
       values ($1, $2, $3, 'QUEUED', $4, $5, now())`,
      [this.#tenantId, id, followUpId, JSON.stringify(body), sequence],
    )
  }

  #addRun(send: Send, id: string, key: string) {
    return send(
      'bare_run',
      `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
       values ($1, $2, $3, $3, 'default', 2, 1, false, now())`,
      [id, this.#tenantId, key],
    )
  }

  #addCommand(send: Send, id: Buffer) {
    return send(
      'bare_command',
      `insert into command (tenant_id, id, request_sha256, answer, created_at) values ($1, $2, $2, '{}', now())`,
      [this.#tenantId, id],
    )
  }
}

export interface ClaimedBare extends QueryResultRow {
  readonly id: string
  readonly key: string
}

interface BareState {
  readonly identity: object
  readonly sequence: string
  readonly phase: string
}

interface Loaded extends QueryResultRow {
  readonly state: BareState
}

type Send = <Row extends QueryResultRow>(name: string, text: string, values: unknown[]) => Promise<Row[]>

function sender(client: PoolClient): Send {
  return async <Row extends QueryResultRow>(name: string, text: string, values: unknown[]) => {
    const { rows } = await client.query<Row>({ name, text, values })
    return rows
  }
}

function advance(loaded: Loaded | undefined, by: number, phase: string) {
  if (!loaded) throw new Error('The agent to change was not found')
  const sequence = BigInt(loaded.state.sequence)
  return { sequence, state: { ...loaded.state, phase, sequence: (sequence + BigInt(by)).toString() } }
}
