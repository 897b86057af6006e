import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EngineEvents } from '../../src/engine-events.ts'
import { Lookout } from '../../src/loops/lookout.ts'

const EVERY_MS = 2_000

let looks: number
let release: () => void
let lookout: Lookout

beforeEach(() => {
  vi.useFakeTimers()
  looks = 0
  begin()
})

function begin(rests = false): void {
  lookout = new Lookout(
    () => {
      looks += 1
      return new Promise((resolve) => (release = resolve))
    },
    {
      everyMs: EVERY_MS,
      rests,
      events: new EngineEvents(),
      onError: (error) => {
        throw error
      },
    },
  )
  lookout.start()
}

afterEach(async () => {
  release()
  await lookout.stop()
  vi.useRealTimers()
})

async function finish(): Promise<void> {
  release()
  await vi.advanceTimersByTimeAsync(0)
}

test('a look that takes longer than the time between looks is followed by the next', async () => {
  await vi.advanceTimersByTimeAsync(10.5 * EVERY_MS)
  expect(looks).toBe(1)
  await finish()
  await vi.advanceTimersByTimeAsync(1)
  expect(looks).toBe(2)
  await vi.advanceTimersByTimeAsync(EVERY_MS / 2)
  await finish()
  await vi.advanceTimersByTimeAsync(EVERY_MS / 2 + 1)
  expect(looks).toBe(3)
})

test('or by a pause, if it is to rest', async () => {
  await lookout.stop()
  begin(true)
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(looks).toBe(1)
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  await finish()
  await vi.advanceTimersByTimeAsync(EVERY_MS - 1)
  expect(looks).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(looks).toBe(2)
})

test('whoever is told looks at once, or once more after the look in progress', async () => {
  lookout.look()
  expect(looks).toBe(1)
  lookout.look()
  lookout.look()
  expect(looks).toBe(1)
  await finish()
  expect(looks).toBe(2)
  await finish()
  expect(looks).toBe(2)
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(looks).toBe(3)
})

test('nothing is looked for after the stop', async () => {
  lookout.look()
  const stopped = lookout.stop()
  lookout.look()
  await finish()
  await stopped
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS)
  expect(looks).toBe(1)
})
