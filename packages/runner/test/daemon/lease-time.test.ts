import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { expiryOf, outageHeard, renewedAt, type LeaseTime } from '../../src/leases/lease-time.ts'

const LEASE_MS = 30_000

/** Asked every half second and answered immediately, from one time to the other. */
function outage(time: LeaseTime, fromMs: number, toMs: number): LeaseTime {
  let heard = time
  for (let at = fromMs; at <= toMs; at += 500) heard = outageHeard(heard, at, at)
  return heard
}

test('a lease is over when it is as old as it lasts', () => {
  expect(expiryOf(renewedAt(1_000), LEASE_MS)).toBe(31_000)
})

test('an outage that is too short for the service to grant anything for it changes nothing', () => {
  expect(expiryOf(outage(renewedAt(0), 10_000, 20_000), LEASE_MS)).toBe(30_000)
})

test('a longer one leaves a whole lease from when it was last heard of', () => {
  expect(expiryOf(outage(renewedAt(0), 10_000, 21_000), LEASE_MS)).toBe(51_000)
  expect(expiryOf(outage(renewedAt(0), 10_000, 130_000), LEASE_MS)).toBe(160_000)
})

test('a run is not kept forever', () => {
  expect(expiryOf(outage(renewedAt(0), 10_000, 3_600_000), LEASE_MS)).toBe(900_000)
  expect(expiryOf(outage(renewedAt(0), 10_000, 3_600_000), 2_000_000)).toBe(2_000_000)
})

test('no runner holds a run for longer than the service keeps its lease', () => {
  const world = fc.record({
    leaseMs: fc.integer({ min: 1_000, max: 60_000 }),
    /** When the database goes, after the last renewal, and for how long. */
    goneAt: fc.integer({ min: 1, max: 60_000 }),
    goneMs: fc.integer({ min: 1, max: 200_000 }),
    latencyMs: fc.integer({ min: 0, max: 3_000 }),
  })
  fc.assert(
    fc.property(world, ({ leaseMs, goneAt, goneMs, latencyMs }) => {
      fc.pre(goneAt < leaseMs)
      const backAt = goneAt + goneMs
      let time = renewedAt(0)
      for (let askedAt = goneAt; askedAt + latencyMs < backAt; askedAt += latencyMs + 500) {
        time = outageHeard(time, askedAt, askedAt + latencyMs)
      }
      const isOutage = goneMs > Math.max(leaseMs / 3, 2_000)
      const serviceKeepsUntil = isOutage ? backAt + leaseMs : leaseMs
      expect(expiryOf(time, leaseMs)).toBeLessThanOrEqual(serviceKeepsUntil)
    }),
  )
})
