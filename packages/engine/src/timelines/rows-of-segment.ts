import { readSegmentLine, type StoredEventText } from '@skein/core'
import { segmentOfRow, type Segment } from '@skein/store'
import type { SegmentObjects } from './segment-objects.ts'

/** What was moved to a segment, as it was in the table. */
export async function eventsOfSegment(
  objects: SegmentObjects,
  tenantId: string,
  segment: Segment,
): Promise<StoredEventText[]> {
  return (await objects.read(tenantId, segment)).map((line) => {
    const stored = readSegmentLine(line)
    if (!stored) throw new Error('A segment has a line that is not an event')
    return stored
  })
}

/** The rows that `timeline` would have if the events of a segment had not been moved. */
export async function* rowsOfSegment(
  objects: SegmentObjects,
  tenantId: string,
  row: object,
): AsyncGenerator<object> {
  const segment = segmentOfRow(row)
  for (const { sequence, atMicros, actor, event } of await eventsOfSegment(objects, tenantId, segment)) {
    yield {
      tenant_id: tenantId,
      agent_id: segment.agentId,
      sequence: Number(sequence),
      created_at: formatMicros(atMicros),
      actor,
      event: JSON.parse(event) as unknown,
    }
  }
}

/** As the database writes it in JSON. */
function formatMicros(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19)
  return `${seconds}.${(micros % 1_000_000n).toString().padStart(6, '0')}+00:00`
}
