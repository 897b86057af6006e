import { describe, expect, test } from 'vitest'
import { parseLabelSelector } from '../../src/index.ts'

describe('a label selector', () => {
  test.each([
    ['', {}],
    ['  ', {}],
    ['team=payments', { team: 'payments' }],
    [' team = payments , env= ', { team: 'payments', env: '' }],
    ['url=a=b', { url: 'a=b' }],
  ])('%j', (selector, labels) => {
    expect(parseLabelSelector(selector)).toEqual(labels)
  })

  test.each(['team', '=x', 'Team=x', 'a=b,', `a=${'x'.repeat(256)}`, 'a=b\nc', 'a=b,'.repeat(64) + 'a=b'])(
    '%j is refused',
    (selector) => {
      expect(() => parseLabelSelector(selector)).toThrow('labelSelector')
    },
  )

  test('costs nothing, whatever it is', () => {
    const begin = performance.now()
    expect(() => parseLabelSelector(`a=${' '.repeat(2000)}${'x'.repeat(2000)}`)).toThrow('labelSelector')
    expect(performance.now() - begin).toBeLessThan(100)
  })
})
