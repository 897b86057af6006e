import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@skein/testkit'
import { Client } from 'pg'

/** Nobody else sends anything to it, so that its timeline can be written by hand. */
export const LATE_AGENT = 'late'

const OPEN_MS = 700

const ADD_EVENT = `
  begin;
  with next as (
    select a.id, a.tenant_id, max(t.sequence) + 1 as sequence
    from agent a join timeline t on t.agent_id = a.id
    where a.state -> 'identity' -> 'path' ->> 0 = '${LATE_AGENT}' group by a.id
  ), added as (
    insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
    select tenant_id, id, sequence, now(), 'test', '{"type":"follow-up.cleared","followUpId":"none"}' from next
  )
  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  select tenant_id, id, sequence, sequence, now() from next`

/**
 * Transactions that write an event and commit only long after others that began later. Commands of the service write and
 * commit in one go, so this would otherwise hardly ever happen.
 */
export async function commitLate(postgres: PostgresServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await addLate(postgres).catch(() => undefined)
    await pause(100)
  }
}

async function addLate(postgres: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: postgres.url() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(ADD_EVENT)
    await pause(OPEN_MS)
    await client.query('commit')
  } finally {
    await client.end()
  }
}
