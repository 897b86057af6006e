import { setImmediate as nextTurn } from 'node:timers/promises'
import { machineNow } from '@skein/testkit'
import { expect, test } from 'vitest'
import { FairStart, laneOf } from '../../src/fair-start/fair-start.ts'

const idle = () => false
const busy = () => true

/** Notes who begins, in order. */
function crowd(start: FairStart) {
  const begun: string[] = []
  return {
    begun,
    send: (lane: string, amount: number, bytes = 0) => {
      const requests = Array.from({ length: amount }, () =>
        start.enter(lane, bytes).then(() => begun.push(lane)),
      )
      return Promise.all(requests)
    },
  }
}

/** Until everything has happened that waits for nothing else. */
async function settled(): Promise<void> {
  for (let step = 0; step < 10; step++) await Promise.resolve()
}

test('the first request of a turn begins immediately', async () => {
  const start = new FairStart(busy)
  let hasBegun = false
  void start.enter('a', 0).then(() => (hasBegun = true))
  await Promise.resolve()
  expect(hasBegun).toBe(true)
})

test('a request starts in the same turn of the event loop although another tenant has thousands waiting', async () => {
  const { begun, send } = crowd(new FairStart(idle))
  const loud = send('loud', 1_000)
  await settled()
  for (let turn = 0; turn < 20; turn += 1) {
    const already = begun.length
    await send('quiet', 1)
    // At most what had begun before it was asked, and one more of the loud one.
    expect(begun.length - already).toBeLessThanOrEqual(2)
    await nextTurn()
  }
  await loud
  expect(begun.filter((lane) => lane === 'loud')).toHaveLength(1_000)
})

test('while the event loop is busy, only who is above its share is held back', async () => {
  let isBusy = true
  const { begun, send } = crowd(new FairStart(() => isBusy))
  await send('quiet', 1)
  const loud = send('loud', 500)
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  const heldAt = begun.filter((lane) => lane === 'loud').length
  expect(heldAt).toBeLessThan(10)
  // Two concurrent requests wait for the next turn, and no longer.
  await send('quiet', 2)
  expect(begun.filter((lane) => lane === 'quiet')).toHaveLength(3)
  isBusy = false
  await loud
  expect(begun.filter((lane) => lane === 'loud')).toHaveLength(500)
})

test('a few large requests and answers weigh as much as many small ones', async () => {
  const start = new FairStart(busy)
  const { begun, send } = crowd(start)
  await send('quiet', 20)
  const loud = send('loud', 3)
  start.charge('loud', 10_000_000)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(begun.filter((lane) => lane === 'loud').length).toBeLessThan(3)
  await loud
})

test('alone, nobody is held back however busy the event loop is', async () => {
  const { begun, send } = crowd(new FairStart(busy))
  await send('only', 500)
  expect(begun).toHaveLength(500)
})

test('a turn begins several small requests, or one large one', async () => {
  const start = new FairStart(idle)
  const { begun, send } = crowd(start)
  start.charge('only', 0)
  const small = send('only', 100)
  await settled()
  expect(begun).toHaveLength(20)
  await small
  await nextTurn()
  await nextTurn()
  const large = send('only', 3, 1024 * 1024)
  await settled()
  expect(begun).toHaveLength(101)
  await large
})

test('one request begins per turn if its answers are large, or not known yet', async () => {
  const start = new FairStart(idle)
  const { begun, send } = crowd(start)
  const unknown = send('only', 100)
  await settled()
  expect(begun).toHaveLength(1)
  await unknown
  await nextTurn()
  await nextTurn()
  start.charge('only', 1_000_000)
  const large = send('only', 100)
  await settled()
  expect(begun).toHaveLength(101)
  await large
})

test('tenants that are being served share what a turn begins, and each gets at least one', async () => {
  const start = new FairStart(idle)
  const { begun, send } = crowd(start)
  start.charge('loud', 0)
  for (let tenant = 0; tenant < 3; tenant++) await send(`quiet-${tenant}`, 1)
  const loud = send('loud', 100)
  await settled()
  expect(begun).toHaveLength(3 + 5)
  for (let tenant = 3; tenant < 100; tenant++) await send(`quiet-${tenant}`, 1)
  const before = begun.length
  await nextTurn()
  expect(begun.length - before).toBeLessThanOrEqual(2)
  await loud
})

test('a tenant is not held back next to its own runners', async () => {
  const { begun, send } = crowd(new FairStart(busy))
  const startedAt = machineNow()
  await Promise.all([send(laneOf('only', true), 5), send('only', 500)])
  expect(begun).toHaveLength(505)
  expect(machineNow() - startedAt).toBeLessThan(400)
})

test('waiting requests are bounded in number and bytes, and rejected with a retry delay beyond that', async () => {
  const { send } = crowd(new FairStart(idle))
  const waiting = send('loud', 2_001)
  const refusal = { reason: 'RATE_LIMITED' }
  await expect(send('loud', 1)).rejects.toMatchObject(refusal)
  await waiting
  await nextTurn()
  await nextTurn()
  const large = send('loud', 3, 30 * 1024 * 1024)
  await expect(send('loud', 1, 30 * 1024 * 1024)).rejects.toMatchObject(refusal)
  await large
})
