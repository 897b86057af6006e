import { randomBytes, randomUUID } from 'node:crypto'
import { Pool } from 'pg'

/**
 * The minimum cost of a follow-up to an idle agent: the same locks and rows, written by hand in two round trips with
 * the same driver, without HTTP, validation or rules.
 */
export class BareEngine {
  readonly #pool: Pool
  readonly #tenantId: string

  constructor(connectionString: string, tenantId: string, connections: number) {
    this.#pool = new Pool({ connectionString, max: connections, pipeline: true })
    this.#tenantId = tenantId
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  async queue(agent: { id: string; key: string }): Promise<void> {
    const client = await this.#pool.connect()
    const commandId = randomBytes(32)
    const followUpId = randomUUID()
    try {
      const [, , , loaded] = await Promise.all([
        client.query(`begin; select set_config('skein.tenant', '${this.#tenantId}', true)`),
        client.query({
          name: 'bare_lock_command',
          text: `select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 1))`,
          values: [commandId],
        }),
        client.query({
          name: 'bare_lock_tree',
          text: `select pg_advisory_xact_lock(hashtextextended($1, 2))`,
          values: [`${this.#tenantId}/${agent.key}`],
        }),
        client.query<{ state: object; seq: string }>({
          name: 'bare_load',
          text: `select a.state, a.state ->> 'sequence' as seq,
                   exists (select from command c where c.tenant_id = $1 and c.id = $3 and c.created_at > now() - interval '1 day') as done,
                   exists (select from follow_up f where f.agent_id = a.id and f.follow_up_id = $4) as known,
                   (select r.document from resource r where r.tenant_id = $1 and r.kind = 'quota' and r.name = 'default') as quota
                 from agent a where a.tenant_id = $1 and a.key = $2`,
          values: [this.#tenantId, agent.key, commandId, followUpId],
        }),
      ])
      const row = loaded.rows[0]
      const sequence = BigInt(row?.seq ?? 0)
      const state = JSON.stringify({ ...row?.state, sequence: (sequence + 3n).toString() })
      await Promise.all([
        client.query({
          name: 'bare_agent',
          text: `update agent set phase = 'PHASE_PENDING', state = $2, updated_at = now() where id = $1`,
          values: [agent.id, state],
        }),
        client.query({
          name: 'bare_timeline',
          text: `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
                 select $1, $2, $3::bigint + n, now(), 'ada', $4::json from generate_series(1, 3) n`,
          values: [this.#tenantId, agent.id, sequence, '{"type":"follow-up.queued"}'],
        }),
        client.query({
          name: 'bare_outbox',
          text: `insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
                 values ($1, $2, $3, $3, now())`,
          values: [this.#tenantId, agent.id, sequence],
        }),
        client.query({
          name: 'bare_follow_up',
          text: `insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at)
                 values ($1, $2, $3, 'QUEUED', $4, $5, now())`,
          values: [this.#tenantId, agent.id, followUpId, bodyOf(followUpId), sequence],
        }),
        client.query({
          name: 'bare_run',
          text: `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
                 values ($1, $2, $3, $3, 'default', 2, 1, false, now())
                 on conflict (agent_id) do update set run_id = excluded.run_id, available_at = excluded.available_at`,
          values: [agent.id, this.#tenantId, agent.key],
        }),
        client.query({
          name: 'bare_lease',
          text: 'delete from lease where agent_id = $1',
          values: [agent.id],
        }),
        client.query({
          name: 'bare_command',
          text: `insert into command (tenant_id, id, request_sha256, answer, created_at) values ($1, $2, $2, '{}', now())`,
          values: [this.#tenantId, commandId],
        }),
        client.query('commit'),
      ])
    } finally {
      client.release()
    }
  }

  async readByKey(key: string): Promise<void> {
    await this.#pool.query({
      name: 'bare_read',
      text: 'select state from agent where tenant_id = $1 and key = $2',
      values: [this.#tenantId, key],
    })
  }
}

function bodyOf(followUpId: string): string {
  return JSON.stringify({ followUpId, description: 'more', tasks: [], override: {}, createdAt: Date.now() })
}
