import { describe, expect, test } from 'vitest'
import { findMissingKey, nameKey } from '../../src/run/payer.ts'

const withKey = { hasKey: () => true }
const without = { hasKey: () => false }
const own = (value: string) => ({ backend: 'a', providerKey: { secret: 'claude-key', value } })

describe('who pays for a run', () => {
  test('a tenant with a key of its own pays with it, whether or not the runner has one', () => {
    expect(findMissingKey(own('sk'), 'anthropic', withKey)).toBeUndefined()
    expect(findMissingKey(own('sk'), 'anthropic', without)).toBeUndefined()
    expect(nameKey(own('sk'), 'anthropic', 'host-1')).toBe(
      'the key in the secret claude-key, which the backend a names',
    )
  })

  test('nobody else pays for a tenant whose secret is gone', () => {
    expect(findMissingKey(own(''), 'anthropic', withKey)).toMatchObject({
      isOurs: false,
      message: expect.stringContaining('names the secret claude-key') as string,
    })
  })

  test('without one the runner pays; another runner may have a key where this one has none', () => {
    const run = { backend: 'b' }
    expect(findMissingKey(run, 'openai', withKey)).toBeUndefined()
    expect(findMissingKey(run, 'openai', without)).toMatchObject({
      isOurs: true,
      message: expect.stringContaining('no OPENAI_API_KEY') as string,
    })
    expect(nameKey(run, 'openai', 'host-1')).toBe('OPENAI_API_KEY of the runner host-1')
    expect(findMissingKey(run, undefined, without)).toBeUndefined()
  })
})
