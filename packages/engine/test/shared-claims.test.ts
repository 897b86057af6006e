import { expect, test } from 'vitest'
import { SharedClaims } from '../src/runs/shared-claims.ts'

const here = () => false
const gone = () => true
const failing = () => Promise.reject(new Error('busy'))
const contended = (claim: (send: () => Promise<undefined>) => Promise<void>) =>
  claim(() => Promise.resolve(undefined))

/** Claims numbers from a queue. Whoever asks waits until the turn is given. */
function queueOf(length: number) {
  const queue = Array.from({ length }, (_none, index) => index)
  const claims = new SharedClaims<number>()
  const turn = Promise.withResolvers<void>()
  const sent: number[] = []
  const ask = (amount: number, { kind = 'same', isGone = here } = {}) =>
    claims.claim(kind, { amount, isGone }, async (claim) => {
      await turn.promise
      await claim(async (wanted) => {
        sent.push(wanted)
        await Promise.resolve()
        return queue.splice(0, wanted)
      })
    })
  return { sent, ask, begin: () => turn.resolve() }
}

test('polls of the same kind claim together, and are answered in the order in which they asked', async () => {
  const { sent, ask, begin } = queueOf(4)
  const asked = [ask(2), ask(1), ask(3), ask(1)]
  begin()
  expect(await Promise.all(asked)).toEqual([[0, 1], [2], [3], []])
  expect(sent).toEqual([7])
})

test('polls of another kind, or beyond the limit, claim by themselves', async () => {
  const { sent, ask, begin } = queueOf(200)
  const asked = [ask(60), ask(1, { kind: 'other' }), ask(5), ask(4)]
  begin()
  const answers = await Promise.all(asked)
  expect(answers.map((runs) => runs?.length)).toEqual([60, 1, 5, 4])
  expect(sent.toSorted((one, other) => one - other)).toEqual([1, 9, 60])
})

test('nothing is claimed for a runner that has gone while it waited', async () => {
  const { sent, ask, begin } = queueOf(3)
  const asked = [ask(2, { isGone: gone }), ask(2)]
  begin()
  expect(await Promise.all(asked)).toEqual([[], [0, 1]])
  expect(sent).toEqual([2])
})

test('a poll that comes after the claim was sent begins the next one', async () => {
  const { sent, ask, begin } = queueOf(3)
  begin()
  const first = ask(1)
  await Promise.resolve()
  await Promise.resolve()
  const second = ask(1)
  expect([await first, await second]).toEqual([[0], [1]])
  expect(sent).toEqual([1, 1])
})

test('a claim that fails fails for all who asked, and others can claim again', async () => {
  const claims = new SharedClaims<number>()
  const asker = { amount: 1, isGone: here }
  const asked = [claims.claim('same', asker, failing), claims.claim('same', asker, failing)]
  for (const each of asked) await expect(each).rejects.toThrow('busy')
  const again = claims.claim('same', asker, (claim) => claim(() => Promise.resolve([7])))
  expect(await again).toEqual([7])
})

test('when others were claiming, all who asked are told so', async () => {
  const claims = new SharedClaims<number>()
  const asker = { amount: 1, isGone: here }
  expect(await claims.claim('same', asker, contended)).toBeUndefined()
})
