import { expect, test } from 'vitest'
import { EngineEvents, type EngineEvent } from '../src/engine-events.ts'
import { SegmentObjects } from '../src/timelines/segment-objects.ts'

const AGENT = '00000000-0000-7000-8000-000000000001'

test('an operator is told why old events cannot be read, their reader is not', async () => {
  const events = new EngineEvents()
  const seen: EngineEvent[] = []
  events.subscribe((event) => void seen.push(event))
  const objects = new SegmentObjects(undefined, 'c1', events)
  const segment = {
    agentId: AGENT,
    object: 'abc',
    firstSequence: 1n,
    lastSequence: 2n,
    storedBytes: 1,
    plainBytes: 1,
  }
  await expect(objects.read('tenant', segment)).rejects.toMatchObject({
    reason: 'TIMELINE_UNAVAILABLE',
    message: expect.not.stringContaining('SKEIN_BLOBS') as unknown,
  })
  expect(seen).toEqual([
    {
      type: 'segment-unreadable',
      cause: 'unavailable',
      object: 'abc',
      error: expect.objectContaining({
        message: 'SKEIN_BLOBS is not set, but events were moved to a blob store',
      }) as unknown,
    },
  ])
})
