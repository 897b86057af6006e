import { Readable } from 'node:stream'
import type { BlobStore } from '@skein/host/blobs'
import { expect, test, vi } from 'vitest'
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

/** A segment of a tenant, and what a store returns for it. */
async function stored(tenantId: string, number: number) {
  const agentId = `00000000-0000-7000-8000-${number.toString().padStart(12, '0')}`
  const event = { sequence: 1n, atMicros: 1n, actor: 'ada', event: '{"type":"run.started"}' }
  const writer = new SegmentObjects(undefined, 'c1', new EngineEvents())
  const { segment, content } = await writer.write({ tenantId, agentId }, [event])
  return { tenantId, content, segment: { ...segment, object: segment.checksum } }
}

const unused = () => Promise.reject(new Error('not used'))

/** A store of which only reading is used. */
const readingOnly = (get: BlobStore['get']): BlobStore => ({
  get,
  put: unused,
  remove: unused,
  mark: unused,
  unmark: unused,
  listMarks: unused,
})

const TENANTS = ['00000000-0000-7000-9000-000000000001', '00000000-0000-7000-9000-000000000002'] as const

test('a tenant that reads many old timelines of a slow store leaves room for the others', async () => {
  const many = await Promise.all(Array.from({ length: 10 }, (_, index) => stored(TENANTS[0], index + 1)))
  const other = await stored(TENANTS[1], 99)
  const waiting: (() => void)[] = []
  const store = readingOnly(async () => {
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve))
    return Readable.from([other.content])
  })
  let isSlow = true
  const objects = new SegmentObjects(store, 'c1', new EngineEvents())
  const reads = many.map(({ tenantId, segment }) => objects.read(tenantId, segment).catch(String))
  await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0))
  isSlow = false
  expect(await objects.read(other.tenantId, other.segment)).toHaveLength(1)
  for (const proceed of waiting) proceed()
  await Promise.all(reads)
})

test('a store that does not answer is given up before the caller gives up', async () => {
  const { tenantId, segment } = await stored(TENANTS[0], 1)
  const store = readingOnly(
    (_key, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('given up')))
      }),
  )
  const patience = { turnMs: 1_000, storeMs: 20, writeMs: 20 }
  const objects = new SegmentObjects(store, 'c1', new EngineEvents(), patience)
  await expect(objects.read(tenantId, segment)).rejects.toMatchObject({ reason: 'TIMELINE_UNAVAILABLE' })
})

test('an event that is too large to be read again is never put into a segment', async () => {
  const objects = new SegmentObjects(undefined, 'c1', new EngineEvents())
  const place = { tenantId: TENANTS[0], agentId: AGENT }
  const event = `"${'x'.repeat(17 * 1024 * 1024)}"`
  const events = [{ sequence: 1n, atMicros: 1n, actor: 'ada', event }]
  await expect(objects.write(place, events)).rejects.toThrow('cannot be put into a segment')
})

const never = () => new Promise<never>(() => undefined)

test('a store that does not respond keeps no writer for long, and none that is to stop', async () => {
  const store = { ...readingOnly(never), put: never, remove: never }
  const stopping = new AbortController()
  const content = Buffer.from('x')
  const patient = new SegmentObjects(store, 'c1', new EngineEvents())
  const given = [patient.store('abc', content, stopping.signal), patient.remove('abc', stopping.signal)]
  stopping.abort()
  for (const each of given) await expect(each).rejects.toThrow('The blob store did not respond')
  await expect(patient.remove('abc', stopping.signal)).rejects.toThrow('aborted')
  const impatient = new SegmentObjects(store, 'c1', new EngineEvents(), {
    turnMs: 1_000,
    storeMs: 1_000,
    writeMs: 20,
  })
  await expect(impatient.store('abc', content)).rejects.toThrow('The blob store did not respond')
  await expect(impatient.remove('abc')).rejects.toThrow('The blob store did not respond')
})
