import { machineNow } from '@skein/testkit'
import { expect, test } from 'vitest'

test('the clock of the machine never runs ahead of the wall clock', async () => {
  const [machine, wall] = [machineNow(), performance.now()]
  while (performance.now() - wall < 50) {
    // Wants a processor all the time, so some of it may be stolen.
  }
  const passed = machineNow() - machine
  // Stolen time is counted in steps, so one step may fall into the wrong moment.
  expect(passed).toBeLessThanOrEqual(performance.now() - wall + 20)
  expect(passed).toBeGreaterThan(-20)
})
