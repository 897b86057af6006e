import { expect, test } from 'vitest'
import { defaultWorkspace } from '../src/facts.ts'

test.each([
  ['the built-in one, if the tenant has none of its own', ['default'], 'default'],
  ['the tenant’s only one', ['default', 'shop'], 'shop'],
  ['the one named default, if there are several', ['default', 'lab', 'shop'], 'default'],
])('without a workspace an agent goes to %s', (_which, names, chosen) => {
  expect(defaultWorkspace(names)).toBe(chosen)
})
