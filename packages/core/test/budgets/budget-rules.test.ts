import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { holdsToRelease, noteLevel, scopeOf, type BudgetNotice } from '../../src/index.ts'
import { kindViolations } from '../../src/catalog/kind-rules.ts'
import { budget } from '@skein/contract'

const DOLLAR = 1_000_000n
const RUNS = { numRuns: Number(process.env['SKEIN_PROPERTY_RUNS'] ?? 500) }

const look = (known: BudgetNotice | undefined, spent: bigint, amount: bigint) =>
  noteLevel(known, { spentMicros: spent * DOLLAR, amountMicros: amount * DOLLAR })
const hold = (needMicros: bigint, isCovered = true) => ({ needMicros, isCovered })

describe('levels', () => {
  test('are news when they are reached, the highest only', () => {
    expect(look(undefined, 49n, 100n)).toMatchObject({ percent: 0, isNews: false })
    expect(look(undefined, 50n, 100n)).toMatchObject({ percent: 50, isNews: true })
    expect(look(undefined, 99n, 100n)).toMatchObject({ percent: 80, isNews: true })
    expect(look(undefined, 200n, 100n)).toMatchObject({ percent: 100, isNews: true })
  })

  test('that a raised budget is below again are news once more, and nothing else is', () => {
    const raised = look({ percent: 100, amountMicros: 100n * DOLLAR }, 100n, 200n)
    expect(raised).toEqual({ percent: 50, amountMicros: 200n * DOLLAR, isNews: false })
    expect(look(raised, 159n, 200n).isNews).toBe(false)
    expect(look(raised, 160n, 200n)).toMatchObject({ percent: 80, isNews: true })
    // Nothing is forgotten while the budget is the same.
    expect(look({ percent: 80, amountMicros: 100n * DOLLAR }, 60n, 100n)).toMatchObject({
      percent: 80,
      isNews: false,
    })
    expect(look({ percent: 50, amountMicros: 100n * DOLLAR }, 60n, 60n)).toMatchObject({
      percent: 100,
      isNews: true,
    })
  })

  test('of an unchanged budget are told at most once each and in order, however often somebody looks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 30 }), (steps) => {
        let known: BudgetNotice | undefined
        let spent = 0n
        const told: number[] = []
        for (const step of steps) {
          spent += BigInt(step)
          const { isNews, ...notice } = look(known, spent, 100n)
          if (isNews) told.push(notice.percent)
          known = notice
        }
        expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other))
        const reached = [100, 80, 50].find((level) => spent >= BigInt(level))
        expect(told.at(-1)).toBe(reached)
      }),
      RUNS,
    )
  })
})

describe('holds', () => {
  test('are released only as far as their calls fit, and all of them without the budget', () => {
    const holds = [hold(3n), hold(9n), hold(2n)]
    expect(holdsToRelease({ amountMicros: 10n, usedMicros: 4n }, holds)).toEqual([hold(3n), hold(2n)])
    expect(holdsToRelease({ amountMicros: 10n, usedMicros: 10n }, holds)).toEqual([])
    expect(holdsToRelease(undefined, holds)).toEqual(holds)
    expect(holdsToRelease({ amountMicros: 1n, usedMicros: 1n }, [hold(1n, false)])).toHaveLength(1)
  })

  test('that are released never need more than is left', () => {
    const amounts = fc.bigInt({ min: 0n, max: 1000n })
    fc.assert(
      fc.property(amounts, amounts, fc.array(amounts), (amountMicros, usedMicros, needs) => {
        const released = holdsToRelease(
          { amountMicros, usedMicros },
          needs.map((need) => hold(need)),
        )
        const total = released.reduce((sum, { needMicros }) => sum + needMicros, 0n)
        expect(released.length === 0 || usedMicros + total < amountMicros).toBe(true)
      }),
      RUNS,
    )
  })
})

describe('a document', () => {
  const fields = { team: '', account: '', ownerProvider: 'PROVIDER_CODEHOST_APP', label: '' } as const
  const violations = (changed: object) =>
    kindViolations(budget, { timeZone: 'UTC', ...fields, ...changed }, undefined).map(({ field }) => field)

  test('is for a team, an account, a label or everything', () => {
    expect(scopeOf(fields)).toEqual({ scope: 'tenant', subject: '', labelValue: '' })
    expect(scopeOf({ ...fields, team: 'a' })).toMatchObject({ scope: 'team', subject: 'a' })
    expect(scopeOf({ ...fields, account: 'ada' })).toMatchObject({ subject: 'PROVIDER_CODEHOST_APP/ada' })
    expect(scopeOf({ ...fields, label: 'env=a=b' })).toEqual({
      scope: 'label',
      subject: 'env',
      labelValue: 'a=b',
    })
  })

  test('is refused if it is for two, for no label, or in no time zone', () => {
    expect(violations({})).toEqual([])
    expect(violations({ team: 'a', label: 'x=y' })).toEqual(['label'])
    expect(violations({ label: 'nothing' })).toEqual(['label'])
    expect(violations({ label: '=x' })).toEqual(['label'])
    expect(violations({ timeZone: 'Mars/Olympus' })).toEqual(['timeZone'])
  })
})
