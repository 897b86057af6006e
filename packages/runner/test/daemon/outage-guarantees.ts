import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { OutageWorld } from './outage.ts'

const AGENTS = 20

/** The same for a short lease and outage with each change, and for the real ones each night. */
export function testOutage({ leaseMs, outageMs }: { leaseMs: number; outageMs: number }): void {
  let world: OutageWorld

  afterEach(() => world.close())

  test(`PostgreSQL is down for ${outageMs} ms: ${AGENTS} runs with leases of ${leaseMs} ms finish on their first attempt`, async () => {
    world = await OutageWorld.start(leaseMs)
    const [dead, ...alive] = await world.startRuns(AGENTS + 1)
    if (!dead) throw new Error('there is a run')
    world.keep(alive)
    const gone = world.keep([dead])
    await pause(leaseMs / 2)
    gone.stop()
    await world.outage(outageMs)
    const backAt = performance.now()
    await world.untilBack()
    // A runner that died in the meantime is detected after one more lease, and not before.
    await waitFor(async () => (await world.status(dead.agentId)).phase === 'PHASE_PENDING', {
      what: 'the dead runner to be found',
      timeoutMs: leaseMs + 20_000,
    })
    const foundMs = performance.now() - backAt
    console.log(`the runner that died was found ${foundMs.toFixed(0)} ms after the database was back`)
    expect(foundMs).toBeGreaterThan(leaseMs / 2)
    expect(await world.finish(dead)).toBe(false)
    expect(world.lost).toEqual([])
    for (const run of alive) {
      expect(await world.finish(run)).toBe(true)
      expect(await world.status(run.agentId)).toMatchObject({
        phase: 'PHASE_COMPLETED',
        run: { attempt: 1 },
      })
    }
  })
}
