import { describe, expect, test } from 'vitest'
import { costUsd, estimatePromptTokens, leastCostUsd } from '../../src/gateway/prices.ts'

const price = { model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }
const million = 1_000_000

describe('the cost of a call', () => {
  test('charges each token once, at its own price', () => {
    const counts = {
      inputTokens: 4 * million,
      cachedInputTokens: 2 * million,
      cacheWriteTokens: million,
      outputTokens: million,
    }
    expect(costUsd(counts, price)).toBeCloseTo(3 + 0.6 + 3.75 + 15, 9)
  })

  test('counts cache writes as input if they have no price', () => {
    const counts = { inputTokens: million, cachedInputTokens: 0, cacheWriteTokens: million, outputTokens: 0 }
    expect(costUsd(counts, { ...price, cacheWrite: 0 })).toBeCloseTo(3, 9)
  })

  test('is nothing without a price', () => {
    expect(
      costUsd({ inputTokens: 9, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 9 }, undefined),
    ).toBe(0)
  })
})

describe('the least that a call can cost', () => {
  test('is its prompt at the price of cached input', () => {
    expect(leastCostUsd(million, price)).toBeCloseTo(0.3, 9)
    expect(leastCostUsd(million, { ...price, cachedInput: 9 })).toBeCloseTo(3, 9)
    expect(leastCostUsd(million, undefined)).toBe(0)
  })

  test('counts four bytes as a token', () => {
    expect(estimatePromptTokens(Buffer.from('x'.repeat(401)))).toBe(101)
    expect(estimatePromptTokens(Buffer.from('é'.repeat(200)))).toBe(100)
  })

  test('does not count the bytes of pictures', () => {
    const picture = Buffer.alloc(300_000).toString('base64')
    const asAnthropic = JSON.stringify({ source: { type: 'base64', media_type: 'image/png', data: picture } })
    const asOpenai = JSON.stringify({ image_url: `data:image/png;base64,${picture}` })
    expect(estimatePromptTokens(Buffer.from(asAnthropic))).toBeLessThan(100)
    expect(estimatePromptTokens(Buffer.from(asOpenai))).toBeLessThan(100)
  })
})
