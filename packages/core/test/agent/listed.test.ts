import { expect, test } from 'vitest'
import { agentKey, identityOfKey, listedFromJson, toListedJson } from '../../src/index.ts'
import { checkInvariants } from './invariants.ts'
import { World } from './world.ts'

test('what a list shows of an agent does not grow with what was said to it or by it', () => {
  const world = new World(checkInvariants)
  world.spawn('a')
  const agent = { ...world.agent('a'), description: 'x'.repeat(100_000), output: 'y'.repeat(100_000) }
  expect(JSON.stringify(toListedJson(agent)).length).toBeLessThan(100)
})

test.each(['ada', 'ada/lovelace', 'ada%2Flovelace', 'ädä @home'])(
  'a key leads back to the account %s',
  (account) => {
    const identity = {
      ...({ workspace: 'web', ownerProvider: 'PROVIDER_IDP_OIDC', account, path: ['a', 'b'] } as const),
    }
    expect(identityOfKey(agentKey(identity))).toEqual(identity)
  },
)

test.each([null, {}, { createdAt: 5 }, { createdAt: '5', sequence: '1' }, { createdAt: 5, sequence: 'x' }])(
  'what was stored by somebody else is refused: %j',
  (json) => expect(() => listedFromJson(json)).toThrow(/not one that this service wrote/),
)

test('a key of somebody else is refused', () => {
  expect(() => identityOfKey('k1')).toThrow(/No agent has the key/)
})
