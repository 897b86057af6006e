import type { StoredEventText } from '@skein/core'
import { toSegment, type Segment } from '../timelines/segment-store.ts'
import type { MoveConnection } from './move-connection.ts'

/** Enough that reading them is not what takes the time. */
const SEGMENTS_AT_ONCE = 100

/** Segments of the tenant whose events are not all in the table, the newest of each agent first. */
export async function* missingSegments(source: MoveConnection, tenantId: string): AsyncGenerator<Segment> {
  let [agent, last] = ['ffffffff-ffff-ffff-ffff-ffffffffffff', String(2n ** 63n - 1n)]
  for (;;) {
    const found: Parameters<typeof toSegment>[0][] = await source.rows(
      `select agent_id, first_sequence, last_sequence, stored_bytes, plain_bytes, encode(object, 'hex') as object,
         (select count(*) from timeline t
          where t.agent_id = s.agent_id and t.sequence between s.first_sequence and s.last_sequence
         ) = s.last_sequence - s.first_sequence + 1 as is_there
       from timeline_segment s
       where tenant_id = $1 and (agent_id, last_sequence) < ($2::uuid, $3::bigint)
       order by agent_id desc, last_sequence desc limit ${SEGMENTS_AT_ONCE}`,
      [tenantId, agent, last],
    )
    for (const row of found) if (!('is_there' in row && row.is_there === true)) yield toSegment(row)
    const end = found.at(-1)
    if (!end || found.length < SEGMENTS_AT_ONCE) return
    agent = end.agent_id
    last = end.last_sequence
  }
}

/**
 * Puts the events of a segment back into the table. The segment stays, so a reader who has looked at the table already
 * still finds them. Returns whether there was still somebody to have them.
 */
export async function returnEvents(
  source: MoveConnection,
  tenantId: string,
  { agentId, lastSequence, object }: Segment,
  events: readonly StoredEventText[],
): Promise<boolean> {
  return source.transaction(async () => {
    // The lock of load_tree, without which an agent is not forgotten: its events would stay.
    await source.execute(
      `select pg_advisory_xact_lock(hashtextextended(a.tenant_id::text || '/' || a.root_key, 2)) from agent a where a.id = $1`,
      [agentId],
    )
    const isKept = await source.row(
      `select from timeline_segment s
       where s.agent_id = $1 and s.last_sequence = $2 and s.object = decode($3, 'hex')
         and (s.agent_id = s.tenant_id or exists (select from agent a where a.id = s.agent_id))`,
      [agentId, lastSequence, object],
    )
    if (!isKept) return false
    await source.execute(
      `insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
       select $1, $2, e.sequence, 'epoch'::timestamptz + e.micros * interval '1 microsecond', e.actor, e.event::json
       from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[]) as e(sequence, micros, actor, event)
       on conflict do nothing`,
      [
        tenantId,
        agentId,
        events.map(({ sequence }) => sequence),
        events.map(({ atMicros }) => atMicros),
        events.map(({ actor }) => actor),
        events.map(({ event }) => event),
      ],
    )
    return true
  })
}
