import { expect, test } from 'vitest'
import { formatAgentName, parseAgentName } from '../src/index.ts'

test.each(['shop/release', 'shop/release/docs', 'a/1/2/3/4/5/6/7/8'])(
  '%s is read and written alike',
  (name) => {
    expect(formatAgentName(parseAgentName(name))).toBe(name)
  },
)

test.each([
  '',
  'shop',
  '/shop',
  'shop/',
  'shop//docs',
  'Shop/docs',
  'shop/a b',
  'shop/-a',
  'a/1/2/3/4/5/6/7/8/9',
])('“%s” is not the name of an agent', (name) => {
  expect(() => parseAgentName(name)).toThrow(TypeError)
})
