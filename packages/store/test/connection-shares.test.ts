import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConnectionQueue } from '../src/database/connection-queue.ts'
import { ConnectionShares, type Asker } from '../src/database/connection-shares.ts'

const normal = (tenant: string): Asker => ({ tenant, isUrgent: false })
const urgent = (tenant: string): Asker => ({ tenant, isUrgent: true })

/** Takes as many as it gets. */
function takeAll(shares: ConnectionShares, asker: Asker): number {
  let count = 0
  while (shares.take(asker)) count += 1
  return count
}

describe('the shares of connections', () => {
  test('one tenant alone gets about two thirds, and more tenants less each', () => {
    const shares = new ConnectionShares(20)
    expect(['a', 'b', 'c'].map((tenant) => takeAll(shares, normal(tenant)))).toEqual([11, 4, 1])
  })

  test('urgent requests get a connection however many the others have taken', () => {
    const shares = new ConnectionShares(20)
    for (const tenant of ['a', 'b', 'c', 'd', 'e']) takeAll(shares, normal(tenant))
    expect(takeAll(shares, urgent('a'))).toBe(3)
    expect(takeAll(shares, urgent('f'))).toBe(1)
  })

  test('of very few connections each can be used', () => {
    expect([1, 2, 3].map((total) => takeAll(new ConnectionShares(total), normal('a')))).toEqual([1, 2, 2])
    expect([1, 4].map((total) => takeAll(new ConnectionShares(total), urgent('a')))).toEqual([1, 3])
  })

  test('never grant more than exist, and a single caller is never starved', () => {
    const asker = fc.record({ tenant: fc.constantFrom('', 'a', 'b', 'c'), isUrgent: fc.boolean() })
    const step = fc.record({ asker, gives: fc.boolean() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step), (total, steps) => {
        const shares = new ConnectionShares(total)
        const held: { tenant: string; giveBack(tenant: string): void }[] = []
        for (const { asker: next, gives } of steps) {
          const share = gives ? undefined : shares.take(next)
          if (share) held.push({ tenant: next.tenant, giveBack: (tenant) => share.giveBack(tenant) })
          const last = gives ? held.pop() : undefined
          last?.giveBack(last.tenant)
          expect(held.length).toBeLessThanOrEqual(total)
        }
        for (const { tenant, giveBack } of held) giveBack(tenant)
        expect(shares.take(normal('new'))).toBeDefined()
      }),
    )
  })

  test('urgent requests are next, then the tenant with the fewest connections', () => {
    const shares = new ConnectionShares(20)
    for (let count = 0; count < 3; count++) shares.take(normal('a'))
    shares.take(normal('b'))
    expect(shares.next([normal('a'), normal('b')])).toEqual(normal('b'))
    expect(shares.next([normal('b'), urgent('a')])).toEqual(urgent('a'))
    expect(shares.next([])).toBeUndefined()
  })
})

const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('the queue for connections', () => {
  const limits = { maxWaitMs: 5_000, maxWaiting: 100 }

  test('serves tenants by turns, however many requests one of them has waiting', async () => {
    const queue = new ConnectionQueue(2, limits)
    const order: string[] = []
    const use = (tenant: string) =>
      queue.use(normal(tenant), async () => {
        order.push(tenant)
        await tick()
      })
    await Promise.all([...Array.from({ length: 20 }, () => use('greedy')), use('modest'), use('modest')])
    expect(order.slice(0, 6).filter((tenant) => tenant === 'modest')).toHaveLength(2)
    expect(order).toHaveLength(22)
    expect(queue.waiting).toBe(0)
  })

  test('refuses who waited too long, or finds too many waiting, and says when to come back', async () => {
    const queue = new ConnectionQueue(1, { maxWaitMs: 20, maxWaiting: 1 })
    const gate = Promise.withResolvers<void>()
    const first = queue.use(normal('a'), () => gate.promise)
    const late = queue.use(normal('a'), async () => 'never')
    const refusal = { reason: 'SERVER_OVERLOADED', retryDelayMs: 1_000 }
    await expect(queue.use(normal('a'), async () => 'never')).rejects.toMatchObject(refusal)
    await expect(late).rejects.toMatchObject(refusal)
    gate.resolve()
    await first
    expect(await queue.use(normal('a'), async () => 'free')).toBe('free')
  })

  test('whatever is requested and fails, all are served, and never more at the same time than there are connections', async () => {
    const visit = fc.record({
      tenant: fc.constantFrom('', 'a', 'b', 'c'),
      isUrgent: fc.boolean(),
      fails: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(visit), async (total, visits) => {
        const queue = new ConnectionQueue(total, limits)
        let inside = 0
        const outcomes = await Promise.allSettled(
          visits.map(({ fails, ...asker }) =>
            queue.use(asker, async () => {
              inside += 1
              expect(inside).toBeLessThanOrEqual(total)
              await tick()
              inside -= 1
              if (fails) throw new Error('as asked')
            }),
          ),
        )
        expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(visits.map(({ fails }) => fails))
        expect(queue.waiting).toBe(0)
      }),
    )
  })
})
