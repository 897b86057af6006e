import type { Budget } from '@skein/contract'
import { describe, expect, it } from 'vitest'
import { ModelAccess } from '../../src/run/model-access.ts'

const BUDGET_LEFT: Budget = { isCapped: true, maxCost: 1, spent: 0 }

function openAccess({ unbudgeted }: { unbudgeted?: boolean }) {
  const asked: (number | undefined)[] = []
  let now = 1_000
  const access = new ModelAccess(
    {
      askBudget: async (estimate) => {
        asked.push(estimate)
        return BUDGET_LEFT
      },
      addUsage: () => undefined,
    },
    { now: () => now, onEvent: () => undefined },
    { queuedMs: 0, ...(unbudgeted !== undefined && { unbudgeted }) },
  )
  const policy = { models: [], providerTools: [], betas: [], serviceTier: '', fastMode: false }
  const terms = { prices: [], leastPrices: [], toolPrices: [], policy }
  return {
    asked,
    pass: (ms: number) => (now += ms),
    call: () => access.grant(terms, () => undefined).authorize(0.25),
  }
}

describe('a run’s access to its model', () => {
  it('asks before every call', async () => {
    const { asked, call } = openAccess({})
    await call()
    await call()
    expect(asked).toEqual([0.25, 0.25])
  })

  it('does not ask before the first call of a run that had no budget a moment ago, but before the second', async () => {
    const { asked, call } = openAccess({ unbudgeted: true })
    expect(await call()).toEqual({ isAllowed: true, message: '' })
    expect(asked).toEqual([])
    await call()
    expect(asked).toEqual([0.25])
  })

  it('asks before a first call that comes late: there may be a budget by now', async () => {
    const { asked, pass, call } = openAccess({ unbudgeted: true })
    pass(10_000)
    await call()
    expect(asked).toEqual([0.25])
  })
})
