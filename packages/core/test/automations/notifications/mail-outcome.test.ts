import { expect, test } from 'vitest'
import { decideMail } from '../../../src/automations/notifications/mail-outcome.ts'

const refused = (address: string, isFinal: boolean) => ({ address, reason: 'no', isFinal })

test('a mail that everybody has got is delivered', () => {
  expect(decideMail({ reached: ['a', 'b'], refused: [] }, [])).toEqual({
    answer: { type: 'delivered' },
    settled: ['a', 'b'],
  })
})

test('who is refused for good does not hold up the others', () => {
  expect(decideMail({ reached: ['a'], refused: [refused('b', true)] }, [])).toEqual({
    answer: { type: 'delivered' },
    settled: ['a', 'b'],
  })
})

test('who is refused for now is tried again, and only they are', () => {
  expect(
    decideMail({ reached: ['a'], refused: [refused('b', false), refused('c', true)] }, []),
  ).toMatchObject({
    answer: { type: 'failed' },
    settled: ['a', 'c'],
  })
  expect(decideMail({ reached: ['b'], refused: [] }, ['a', 'c'])).toMatchObject({
    answer: { type: 'delivered' },
  })
})

test('a mail that nobody can get has failed', () => {
  expect(decideMail({ reached: [], refused: [refused('a', true)] }, [])).toMatchObject({
    answer: { type: 'failed', error: 'a was refused: no' },
  })
})
