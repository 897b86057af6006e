import { ConfigError, SkeinError } from '@skein/contract'
import { missingSegments, returnEvents, type MoveConnection, type Segment } from '@skein/store'
import type { SegmentObjects } from '../../timelines/segment-objects.ts'
import { eventsOfSegment } from '../../timelines/rows-of-segment.ts'

interface ReturnOldEvents {
  readonly source: MoveConnection
  readonly tenantId: string
  /** Of the cell that the tenant leaves. */
  readonly segments: SegmentObjects
  /** Told of every segment, before the next. */
  readonly onSegment?: () => Promise<void>
}

/**
 * Puts old events back into the table, from which they are copied like all others: two cells that refer to one object would
 * delete it from under each other. Returns how many there were. What is already in the table is skipped.
 */
export async function returnOldEvents({
  source,
  tenantId,
  segments,
  onSegment,
}: ReturnOldEvents): Promise<number> {
  let returned = 0
  for await (const segment of missingSegments(source, tenantId)) {
    const events = await readAll(segments, tenantId, segment)
    if (await returnEvents(source, tenantId, segment, events)) returned += events.length
    await onSegment?.()
  }
  return returned
}

async function readAll(segments: SegmentObjects, tenantId: string, segment: Segment) {
  if (!segments.isUsable)
    throw new ConfigError(
      'Old events of the tenant are in the blob store of its cell. Set SKEIN_BLOBS as its servers have it.',
    )
  try {
    return await eventsOfSegment(segments, tenantId, segment)
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error
    const reason = error.message
    throw new ConfigError(
      `Old events of the tenant cannot be read, so it cannot be moved now. ${reason} docs/operations.md says what to do (old timelines). Then run this again.`,
      { cause: error },
    )
  }
}
