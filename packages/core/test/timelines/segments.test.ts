import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  composePage,
  countMovable,
  countOfMonth,
  movedBefore,
  needsSegments,
  readSegment,
  readSegmentLine,
  writeSegment,
} from '../../src/index.ts'

const numbered = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ sequence: BigInt(from + index) }))

test('however much of a timeline was moved, before or while it is read, pages are those of the whole', () => {
  const places = fc.record({
    length: fc.integer({ min: 0, max: 40 }),
    movedFirst: fc.nat(40),
    movedMeanwhile: fc.nat(40),
    after: fc.nat(45),
    until: fc.option(fc.nat(45), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 45 }),
  })
  fc.assert(
    fc.property(places, ({ length, movedFirst, movedMeanwhile, after, until, limit }) => {
      const first = Math.min(movedFirst, length)
      const second = Math.min(length, first + movedMeanwhile)
      const span = { after: BigInt(after), limit, ...(until !== undefined && { until: BigInt(until) }) }
      const isWanted = ({ sequence }: { sequence: bigint }) =>
        sequence > span.after && (until === undefined || sequence <= BigInt(until))
      const rows = numbered(first + 1, length)
        .filter(isWanted)
        .slice(0, limit)
      const old = needsSegments(rows, span, BigInt(length))
        ? numbered(1, second)
            .filter(({ sequence }) => sequence > span.after)
            .slice(0, limit)
        : []
      expect(composePage(old, rows, span)).toEqual(numbered(1, length).filter(isWanted).slice(0, limit))
    }),
  )
})

test('what is moved is the beginning of what is there, and nothing that is new or needed', () => {
  const events = fc.array(fc.nat(20), { maxLength: 20 })
  const held = fc.option(fc.bigInt(1n, 25n), { nil: undefined })
  fc.assert(
    fc.property(events, fc.nat(20), held, (times, before, heldFrom) => {
      const all = times.map((at, index) => ({ sequence: BigInt(index + 1), at }))
      const amount = countMovable(all, { before, heldFrom })
      const stays = ({ sequence, at }: { sequence: bigint; at: number }) =>
        at >= before || (heldFrom !== undefined && sequence >= heldFrom)
      expect(all.slice(0, amount).some(stays)).toBe(false)
      expect(all.slice(amount, amount + 1).every(stays)).toBe(true)
    }),
  )
})

const at = (time: string) => ({ at: Date.parse(time) })

test('a segment ends with the month of its first event', () => {
  const events = [
    '2026-01-31T23:59:59.999Z',
    '2026-02-01T00:00:00Z',
    '2026-02-28T23:59:59Z',
    '2027-02-01T00:00:00Z',
  ]
  expect(countOfMonth(events.map(at))).toBe(1)
  expect(countOfMonth(events.slice(1).map(at))).toBe(2)
  expect(countOfMonth(events.slice(3).map(at))).toBe(1)
  expect(countOfMonth([])).toBe(0)
})

test('whole months are moved, so many days after their end', () => {
  expect(movedBefore(Date.parse('2026-11-18T12:00:00Z'), 30)).toBe(Date.parse('2026-10-01T00:00:00Z'))
  expect(movedBefore(Date.parse('2026-10-31T00:00:00Z'), 30)).toBe(Date.parse('2026-10-01T00:00:00Z'))
  expect(movedBefore(Date.parse('2026-10-30T23:59:59Z'), 30)).toBe(Date.parse('2026-09-01T00:00:00Z'))
  expect(movedBefore(Date.parse('2026-01-30T00:00:00Z'), 30)).toBe(Date.parse('2025-12-01T00:00:00Z'))
})

const head = {
  tenantId: '0199d2f4-0000-7000-8000-00000000000a',
  agentId: '0199d2f4-0000-7000-8000-00000000000b',
}

test('a segment gives back the events that were put into it, whatever they say', () => {
  const stored = fc.record({
    atMicros: fc.bigInt(0n, 4_000_000_000_000_000n),
    actor: fc.string({ unit: 'binary' }),
    json: fc.jsonValue({ stringUnit: 'binary' }),
    indent: fc.constantFrom(undefined, 1),
  })
  fc.assert(
    fc.property(fc.array(stored, { minLength: 1, maxLength: 8 }), (some) => {
      const events = some.map(({ atMicros, actor, json, indent }, index) => ({
        sequence: BigInt(index + 7),
        atMicros,
        actor,
        event: JSON.stringify(json, undefined, indent),
      }))
      const range = { firstSequence: 7n, lastSequence: BigInt(some.length + 6) }
      const text = writeSegment({ ...head, ...range }, events)
      const lines = readSegment(text, { ...head, ...range }) ?? []
      const read = lines.map((line) => readSegmentLine(line))
      expect(read.map((event) => ({ ...event, event: JSON.parse(event?.event ?? '') as unknown }))).toEqual(
        events.map((event) => ({ ...event, event: JSON.parse(event.event) as unknown })),
      )
      const foreign = { ...head, ...range, tenantId: head.agentId }
      expect(readSegment(text, foreign)).toBeUndefined()
      expect(readSegment(text.slice(0, -1), { ...head, ...range })).toBeUndefined()
    }),
  )
})
