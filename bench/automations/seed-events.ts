import type { Client } from 'pg'

/** Where the sequences of made-up events begin: behind those of a real agent. */
const FIRST = 1_000

/** Gives each of the first `agents` seeded agents so many events. */
export async function seedEvents(
  owner: Client,
  { tenantId, agents, events }: { tenantId: string; agents: number; events: number },
): Promise<void> {
  await owner.query(
    `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
     select $1, agent_uuid(n), $2::int + e, now(), 'bench', '{"type":"follow-up.cleared","followUpId":"none"}'
     from generate_series(0, $3::int - 1) n, generate_series(0, $4::int - 1) e`,
    [tenantId, FIRST, agents, events],
  )
  await owner.query('analyze timeline')
}

/** As the relay does: all of these events are to be sent to the integration, from now on. */
export async function sendSeeded(
  owner: Client,
  wanted: { tenantId: string; integration: string; agents: number; events: number },
): Promise<void> {
  const { tenantId, integration, agents, events } = wanted
  await owner.query(
    `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
     select $1, $2, agent_uuid(n), '00000000-0000-0000-0000-000000000000', $3::int, $3::int + $5::int - 1, now(), now()
     from generate_series(0, $4::int - 1) n`,
    [tenantId, integration, FIRST, agents, events],
  )
  await owner.query(
    `update endpoint set due_at = least(due_at, now()) where tenant_id = $1 and integration = $2 and held_until <= now()`,
    [tenantId, integration],
  )
}
