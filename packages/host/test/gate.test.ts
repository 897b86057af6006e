import { expect, test } from 'vitest'
import { Gate } from '../src/gate.ts'

test('limits how many are inside at the same time, and admits them in order', async () => {
  const gate = new Gate(2)
  const entered: number[] = []
  const leave = await Promise.all([gate.enter(), gate.enter()])
  const waiting = [3, 4].map(async (number) => {
    const leaveLater = await gate.enter()
    entered.push(number)
    return leaveLater
  })
  expect(entered).toEqual([])
  leave[0]?.()
  leave[0]?.()
  await waiting[0]
  expect(entered).toEqual([3])
  leave[1]?.()
  await waiting[1]
  expect(entered).toEqual([3, 4])
})
