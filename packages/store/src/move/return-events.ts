import type { StoredEventText } from '@skein/core'
import { escapeLiteral } from 'pg'
import { toSegment, type Segment } from '../timelines/segment-store.ts'
import type { MoveConnection } from './move-connection.ts'

/** Enough that reading them is not what takes the time. */
const SEGMENTS_AT_ONCE = 100

/**
 * Segments of the tenant whose events are not all in the table, the newest of each agent first. They have no index by
 * tenant, so they are found agent by agent, once: what is returned while this goes on changes nothing for the others.
 */
export async function* missingSegments(source: MoveConnection, tenantId: string): AsyncGenerator<Segment> {
  // A cursor that outlasts transactions takes no values.
  const tenant = escapeLiteral(tenantId)
  await source.execute(
    `declare missing_segments no scroll cursor with hold for
     select s.agent_id, s.first_sequence, s.last_sequence, s.stored_bytes, s.plain_bytes, encode(s.object, 'hex') as object
     from (select id from agent where tenant_id = ${tenant} union all select ${tenant}) a
     cross join lateral (select * from timeline_segment where agent_id = a.id and tenant_id = ${tenant} offset 0) s
     where (
       select count(*) from timeline t
       where t.agent_id = s.agent_id and t.sequence between s.first_sequence and s.last_sequence
     ) <> s.last_sequence - s.first_sequence + 1
     order by s.agent_id desc, s.last_sequence desc`,
  )
  try {
    for (;;) {
      const found = await source.rows<Parameters<typeof toSegment>[0]>(
        `fetch ${SEGMENTS_AT_ONCE} from missing_segments`,
      )
      yield* found.map(toSegment)
      if (found.length < SEGMENTS_AT_ONCE) return
    }
  } finally {
    // If the connection is gone, so is the cursor.
    await source.execute('close missing_segments').catch(() => undefined)
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
