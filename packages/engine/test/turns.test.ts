import { expect, test } from 'vitest'
import { Turns } from '../src/runs/turns.ts'

test('one at a time goes through for a key, in order, and a failure holds nobody up', async () => {
  const turns = new Turns()
  const seen: string[] = []
  let inside = 0
  const work = (name: string) => async () => {
    inside += 1
    expect(inside).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    seen.push(name)
    if (name === 'b') throw new Error(name)
    return name
  }
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.take('key', work(name))))
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('keys do not wait for each other', async () => {
  const turns = new Turns()
  const slow = turns.take('slow', () => new Promise<void>((resolve) => void setTimeout(resolve, 50)))
  const order: string[] = []
  await Promise.all([
    slow.then(() => order.push('slow')),
    turns.take('fast', async () => void order.push('fast')),
  ])
  expect(order).toEqual(['fast', 'slow'])
})
