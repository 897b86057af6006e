import { expect, test } from 'vitest'
import { chooseRunnerUser, findUser } from '../../src/start/runner-user.ts'

const NOWHERE = '/nowhere/at/all'

test.each(['root', '0', '0:5', '5:0', 'no-such-user-here'])('a runner never becomes %s', (user) => {
  expect(() => chooseRunnerUser(user, NOWHERE)).toThrow('SKEIN_RUNNER_USER')
})

test('a number stands for itself, with its own group unless another is named', () => {
  expect(findUser('60955')).toEqual({ uid: 60_955, gid: 60_955 })
  expect(findUser('60955:60956')).toEqual({ uid: 60_955, gid: 60_956 })
})

test('a name stands for the user that the system knows by it', () => {
  const { uid, gid } = findUser('nobody')
  expect(uid).toBeGreaterThan(0)
  expect(gid).toBeGreaterThan(0)
  expect(findUser(String(uid)).uid).toBe(uid)
})

test('without a user of its own a runner becomes one that nobody is', () => {
  const { uid, gid } = chooseRunnerUser('', NOWHERE)
  expect(uid).toBeGreaterThan(0)
  expect(gid).toBeGreaterThan(0)
})
