import { waitFor } from '@skein/testkit'
import { expect, test } from 'vitest'
import { Checkpoints } from '../../src/run/checkpoints.ts'

/** Saves that end when they are told to. */
function heldSaves() {
  const open: (() => void)[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    finish: () => open.shift()?.(),
    save: (): Promise<void> => {
      count += 1
      return new Promise((resolve) => open.push(resolve))
    },
  }
}

test('checkpoints do not overlap, and what happens during one is saved by the next', async () => {
  const saves = heldSaves()
  const checkpoints = new Checkpoints(saves.save, { everyMs: 0 })
  checkpoints.touch()
  await waitFor(() => saves.count === 1, { what: 'save 1' })
  checkpoints.touch()
  checkpoints.touch()
  expect(saves.count).toBe(1)
  saves.finish()
  await waitFor(() => saves.count === 2, { what: 'save 2' })
  saves.finish()
  await checkpoints.stop()
  expect(saves.count).toBe(2)
})

test('a stop waits for the one under way and begins no other', async () => {
  const saves = heldSaves()
  const checkpoints = new Checkpoints(saves.save, { everyMs: 0 })
  checkpoints.touch()
  await waitFor(() => saves.count === 1, { what: 'save 1' })
  checkpoints.touch()
  const stopped = checkpoints.stop()
  saves.finish()
  await stopped
  checkpoints.touch()
  expect(saves.count).toBe(1)
})

test('nothing is saved before its time', async () => {
  const saves = heldSaves()
  const checkpoints = new Checkpoints(saves.save, { everyMs: 60_000 })
  checkpoints.touch()
  await checkpoints.stop()
  expect(saves.count).toBe(0)
})
