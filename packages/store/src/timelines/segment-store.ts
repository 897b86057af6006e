import type { StoredEventText } from '@skein/core'
import { ENDING_SPAN } from '../automations/notifications/message-store.ts'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** A range of an agent's events in the blob store. */
export interface Segment {
  readonly agentId: string
  readonly firstSequence: bigint
  readonly lastSequence: bigint
  readonly storedBytes: number
  readonly plainBytes: number
  /** The name of what is stored, in hexadecimal. Begins with its checksum. */
  readonly object: string
}

/** A segment to be. */
export interface NewSegment extends Omit<Segment, 'object'> {
  /** SHA-256 of what is to be stored, in hexadecimal. */
  readonly checksum: string
  readonly events: number
  /** Of its newest event. */
  readonly lastAtMicros: bigint
}

const SEGMENT = {
  agent_id: 'uuid',
  first_sequence: 'bigint',
  last_sequence: 'bigint',
  stored_bytes: 'int',
  plain_bytes: 'int',
  object: 'text',
} as const

const COLUMNS = `agent_id, first_sequence, last_sequence, stored_bytes, plain_bytes, encode(object, 'hex') as object`

const after = statement(
  'segment_after',
  `select ${COLUMNS} from timeline_segment where agent_id = $1 and last_sequence > $2 order by last_sequence limit $3`,
  SEGMENT,
)

const oldest = statement(
  'timeline_oldest',
  // Those after which there is still room: how large they are is known only here.
  `select sequence, (extract(epoch from created_at) * 1000000)::bigint as micros, actor, event::text as event
   from (
     select *, sum(octet_length(event::text)) over (order by sequence rows unbounded preceding)
       - octet_length(event::text) as bytes_before
     from (
       select sequence, created_at, actor, event from timeline
       where agent_id = $1 and sequence > $2 order by sequence limit $3
     ) page
   ) sized
   where bytes_before < $4 order by sequence`,
  { sequence: 'bigint', micros: 'bigint', actor: 'text', event: 'text' },
)

/** Few at first, because an event can be as large as a request. */
const FIRST_EVENTS = 32
const MAX_EVENTS_AT_ONCE = 512

/** What is still to be sent, and what can be sent again because it was given up. */
const held = statement(
  'timeline_held',
  `select agent_id, min(first)::bigint as first from (
     select agent_id, next_sequence as first from lane
     where tenant_id = skein_current_tenant() and agent_id = any($1::uuid[])
     union all
     select agent_id, first_sequence from dead_letter
     where tenant_id = skein_current_tenant() and agent_id = any($1::uuid[])
   ) h group by agent_id`,
  { agent_id: 'uuid', first: 'bigint' },
)

/** As move_events does. */
const keepUnmoved = statement(
  'timeline_keep_unmoved',
  'select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 20))',
)

const lastMoved = statement(
  'timeline_last_moved',
  'select coalesce(max(last_sequence), 0)::bigint as last from timeline_segment where agent_id = $1',
  { last: 'bigint' },
)

const forgetReturned = statement('forget_returned_events', 'select forget_returned_events($1)')

const draft = statement(
  'draft_segment',
  `select encode(draft_segment($1, $2, $3, $4, decode($5, 'hex')), 'hex') as object`,
  { object: 'text?' },
)

const move = statement(
  'move_events',
  `select move_events($1, $2, $3, $4, 'epoch'::timestamptz + $5::bigint * interval '1 microsecond', decode($6, 'hex'), $7,
     $8) as is_moved`,
  { is_moved: 'boolean' },
)

/** Old events of the transaction's tenant, in the table and in segments. */
export class SegmentStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Segments of an agent with events after this one, oldest first. */
  async after(agentId: string, sequence: bigint, limit: number): Promise<Segment[]> {
    return (await this.#transaction.rows(after, [agentId, sequence, limit])).map(toSegment)
  }

  /**
   * The oldest events of an agent that are in the table, newer than `newerThan`: at most one more than fits the limits.
   * Callers that know what has been moved say so: until it is vacuumed, PostgreSQL would look at it each time.
   */
  async oldestEvents(
    agentId: string,
    limits: { readonly events: number; readonly bytes: number },
    newerThan = 0n,
  ): Promise<StoredEventText[]> {
    const events: StoredEventText[] = []
    let bytes = 0
    let amount = FIRST_EVENTS
    for (;;) {
      const newest = events.at(-1)?.sequence ?? newerThan
      const limit = Math.min(amount, limits.events - events.length)
      // At least one, however large it is.
      const rows = await this.#transaction.rows(oldest, [agentId, newest, limit, limits.bytes - bytes])
      for (const row of rows) {
        bytes += Buffer.byteLength(row.event)
        events.push(toStoredText(row))
      }
      if (rows.length < limit || events.length === limits.events || bytes >= limits.bytes) return events
      const left = ((limits.bytes - bytes) * events.length) / bytes
      amount = Math.max(1, Math.min(MAX_EVENTS_AT_ONCE, Math.ceil(left)))
    }
  }

  /** Takes events out of the table that are in a segment too, because a move to another cell had brought them back. */
  async forgetReturned(agentId: string): Promise<void> {
    await this.#transaction.execute(forgetReturned, [agentId])
  }

  /** From which event on webhooks and messages still need these agents' events in the table. */
  async heldFrom(agentIds: readonly string[]): Promise<Map<string, bigint>> {
    const rows = await this.#transaction.rows(held, [agentIds])
    return new Map(rows.map((row) => [row.agent_id, BigInt(row.first) - BigInt(ENDING_SPAN)]))
  }

  /** The last event of an agent that is in a segment; 0 if none is. Until the transaction ends, no more are moved. */
  async keepUnmoved(agentId: string): Promise<bigint> {
    await this.#transaction.execute(keepUnmoved, [agentId])
    return BigInt((await this.#transaction.row(lastMoved, [agentId]))?.last ?? 0)
  }

  /** Before its object is written. Returns its name; undefined if its events are no longer all in the table. */
  async draft(segment: NewSegment): Promise<string | undefined> {
    const { agentId, firstSequence, lastSequence, events, checksum } = segment
    const values = [agentId, firstSequence, lastSequence, events, checksum]
    return (await this.#transaction.row(draft, values))?.object ?? undefined
  }

  /**
   * After its object was written: takes its events out of the table. False if another server was faster, or somebody wants
   * them sent again.
   */
  async move(segment: NewSegment, object: string): Promise<boolean> {
    const { agentId, firstSequence, lastSequence, events, lastAtMicros } = segment
    const { storedBytes, plainBytes } = segment
    const values = [
      agentId,
      firstSequence,
      lastSequence,
      events,
      lastAtMicros,
      object,
      storedBytes,
      plainBytes,
    ]
    return (await this.#transaction.row(move, values))?.is_moved ?? false
  }
}

function toStoredText(row: {
  sequence: string
  micros: string
  actor: string
  event: string
}): StoredEventText {
  return { sequence: BigInt(row.sequence), atMicros: BigInt(row.micros), actor: row.actor, event: row.event }
}

/** From a row of an export. */
export function segmentOfRow(row: object): Segment {
  const of = (column: string): unknown => Reflect.get(row, column)
  return {
    agentId: String(of('agent_id')),
    firstSequence: BigInt(String(of('first_sequence'))),
    lastSequence: BigInt(String(of('last_sequence'))),
    storedBytes: Number(of('stored_bytes')),
    plainBytes: Number(of('plain_bytes')),
    object: String(of('object')).replace(/^\\x/, ''),
  }
}

/** From a row of the database. */
export function toSegment(row: {
  agent_id: string
  first_sequence: string
  last_sequence: string
  stored_bytes: number
  plain_bytes: number
  object: string
}): Segment {
  return {
    agentId: row.agent_id,
    firstSequence: BigInt(row.first_sequence),
    lastSequence: BigInt(row.last_sequence),
    storedBytes: row.stored_bytes,
    plainBytes: row.plain_bytes,
    object: row.object,
  }
}
