import { expect, test } from 'vitest'
import { SharedGate } from '../src/shared-gate.ts'

const patient = new AbortController().signal

test('nobody takes all the room, and who has least of it is next', async () => {
  const gate = new SharedGate(3, 2)
  const entered: string[] = []
  const enter = async (who: string): Promise<(() => void) | undefined> => {
    const leave = await gate.enter(who, patient)
    entered.push(who)
    return leave
  }
  const [leaveFirst] = await Promise.all([enter('a'), enter('a')])
  const waiting = [enter('a'), enter('a'), enter('b'), enter('b'), enter('c')]
  await waiting[2]
  expect(entered).toEqual(['a', 'a', 'b'])
  leaveFirst?.()
  leaveFirst?.()
  const leaveLast = await waiting[4]
  expect(entered).toEqual(['a', 'a', 'b', 'c'])
  // Now each has one: the longest wait counts.
  leaveLast?.()
  await waiting[0]
  expect(entered).toEqual(['a', 'a', 'b', 'c', 'a'])
})

test('whoever gives up leaves the line', async () => {
  const gate = new SharedGate(1, 1)
  const leave = await gate.enter('a', patient)
  const gone = new AbortController()
  const waiting = gate.enter('b', gone.signal)
  const behind = gate.enter('c', patient)
  gone.abort()
  expect(await waiting).toBeUndefined()
  expect(await gate.enter('b', gone.signal)).toBeUndefined()
  leave?.()
  expect(await behind).toBeTypeOf('function')
})
