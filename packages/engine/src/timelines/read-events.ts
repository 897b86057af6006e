import {
  composePage,
  eventFromJson,
  needsSegments,
  readSegmentLine,
  sequenceOf,
  type AgentState,
  type PageSpan,
} from '@skein/core'
import {
  AgentReader,
  SegmentStore,
  sentEventFromJson,
  type ActedEvent,
  type Segment,
  type SentEvent,
  type Transaction,
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { SegmentObjects } from './segment-objects.ts'

/** More than a page usually needs. */
const MAX_SEGMENTS = 64

/** What was found in the database. */
export interface FoundEvents {
  readonly span: PageSpan
  readonly rows: readonly ActedEvent[]
  readonly segments: readonly Segment[]
}

/** In a transaction. The table first: what is moved in between is then in both, and never in neither. */
export async function findEvents(
  transaction: Transaction,
  { id, sequence }: Pick<AgentState, 'id' | 'sequence'>,
  span: PageSpan,
): Promise<FoundEvents> {
  const rows = await new AgentReader(transaction).timelineBetween(id, span, span.limit)
  const segments = needsSegments(rows, span, sequence)
    ? await new SegmentStore(transaction).after(id, span.after, MAX_SEGMENTS)
    : []
  return { span, rows, segments }
}

/** After the transaction, because a blob store can be slow. */
export async function completeEvents(
  { segments: objects }: Pick<EngineResources, 'segments'>,
  tenantId: string,
  { span, rows, segments }: FoundEvents,
): Promise<{ readonly events: ActedEvent[]; readonly isCut: boolean }> {
  const old: ActedEvent[] = []
  for (const segment of segments) {
    if (old.length === span.limit || (span.until !== undefined && segment.firstSequence > span.until)) break
    const lines = await objects.read(tenantId, segment)
    old.push(...eventsIn(lines, span, span.limit - old.length))
  }
  // There may be more segments: what is in the table is then not what follows.
  const isCut = segments.length === MAX_SEGMENTS && old.length < span.limit
  return { events: composePage(old, isCut ? [] : rows, span), isCut }
}

function eventsIn(lines: readonly string[], { after }: PageSpan, limit: number): ActedEvent[] {
  const from = lines.findIndex((line) => (sequenceOf(line) ?? 0n) > after)
  if (from === -1) return []
  return lines.slice(from, from + limit).map(toEvent)
}

/** One event of a segment, which may be the tenant's own. */
export async function readOldEvent(
  objects: SegmentObjects,
  tenantId: string,
  segment: Segment,
  sequence: bigint,
): Promise<SentEvent | undefined> {
  const line = (await objects.read(tenantId, segment)).find((each) => sequenceOf(each) === sequence)
  return line === undefined ? undefined : toSentEvent(line)
}

function toEvent(line: string): ActedEvent {
  const { event, ...rest } = parse(line)
  return { ...rest, event: eventFromJson(event) }
}

function toSentEvent(line: string): SentEvent {
  const { event, ...rest } = parse(line)
  return { ...rest, event: sentEventFromJson(event) }
}

function parse(line: string) {
  const stored = readSegmentLine(line)
  if (!stored) throw new Error('A segment has a line that is not an event')
  const { sequence, atMicros, actor, event } = stored
  return { sequence, at: Number(atMicros / 1000n), actor, event: JSON.parse(event) as unknown }
}
