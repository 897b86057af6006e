import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectivePrice, type ModelPrice } from '../src/index.ts'

const price: ModelPrice = { model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }
const free = { ...price, input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }

test('the first price whose pattern fits counts', () => {
  const rest = { ...price, model: '*' }
  expect(effectivePrice([price, rest], [], 'claude-sonnet-5')).toBe(price)
  expect(effectivePrice([price, rest], [], 'gpt-6')).toBe(rest)
  expect(effectivePrice([price], [], 'gpt-6')).toBeUndefined()
})

test('a model that is free or has no price in the tenant costs what the ceiling says', () => {
  for (const prices of [[free], [{ ...free, model: '*' }], []]) {
    const { model: _, ...amounts } = price
    expect(effectivePrice(prices, [price], 'claude-sonnet-5')).toMatchObject(amounts)
  }
})

test('a tenant can charge itself more', () => {
  const dear = { ...price, output: 100 }
  expect(effectivePrice([dear], [price], 'claude-sonnet-5')).toEqual(dear)
})

const amount = fc.double({ min: 0, max: 100, noNaN: true })
const anyPrice = fc.record({
  model: fc.constantFrom('*', 'a-*', 'a-1', '*-1', 'b'),
  input: amount,
  cachedInput: amount,
  cacheWrite: fc.oneof(amount, fc.constant(0)),
  output: amount,
})

/** As the runner adds up a call: what no provider charges for writing to a cache is input. */
function cost({ input, cachedInput, cacheWrite, output }: ModelPrice): readonly number[] {
  return [input, cachedInput, cacheWrite > 0 ? cacheWrite : input, output]
}

test('whatever a tenant writes, no part of a call costs less than the ceiling says', () => {
  const { counterexample } = fc.check(
    fc.property(
      fc.array(anyPrice),
      fc.array(anyPrice),
      fc.constantFrom('a-1', 'a-2', 'b-1', 'b'),
      (own, least, model) => {
        const floor = effectivePrice(least, [], model)
        const found = effectivePrice(own, least, model)
        if (!floor) return true
        const parts = found ? cost(found) : []
        return cost(floor).every((part, index) => (parts[index] ?? -1) >= part)
      },
    ),
    { numRuns: 2000 },
  )
  expect(counterexample).toBeNull()
})
