import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AuditChainCheck, nextAuditSpan, sealedText } from '../../src/index.ts'
import type { FoundSeal } from '../../src/audit/audit-chain.ts'

const MINUTE_MS = 60_000
const NOON = Date.UTC(2026, 10, 17, 12)

describe('what to seal next', () => {
  test('ends at five whole minutes, when everything in it has been committed', () => {
    expect(nextAuditSpan(NOON, NOON + 9 * MINUTE_MS)).toBeUndefined()
    expect(nextAuditSpan(NOON, NOON + 10 * MINUTE_MS)).toEqual({ from: NOON, until: NOON + 5 * MINUTE_MS })
    expect(nextAuditSpan(NOON, NOON + 14 * MINUTE_MS)).toEqual({ from: NOON, until: NOON + 5 * MINUTE_MS })
  })

  test('is everything since an outage began, but never two months', () => {
    expect(nextAuditSpan(NOON, NOON + 180 * MINUTE_MS)).toEqual({
      from: NOON,
      until: NOON + 175 * MINUTE_MS,
    })
    const december = Date.UTC(2026, 11)
    expect(nextAuditSpan(NOON, Date.UTC(2027, 2))).toEqual({ from: NOON, until: december })
    expect(nextAuditSpan(december, Date.UTC(2027, 2))).toEqual({ from: december, until: Date.UTC(2027, 0) })
  })

  test('is nothing while a clock is behind', () => {
    expect(nextAuditSpan(NOON, NOON - 60 * MINUTE_MS)).toBeUndefined()
  })
})

const macOf = (text: string) => createHash('sha256').update(text).digest('hex')
const isMac = (text: string, mac: string) => macOf(text) === mac

/** Each seal covers two entries. */
function chainOf() {
  let mac = ''
  const next = (index: number): FoundSeal => {
    const from = NOON + index * 5 * MINUTE_MS
    const seal = {
      from,
      until: from + 5 * MINUTE_MS,
      number: BigInt(index + 1),
      entries: 2,
      digest: `digest ${index}`,
      previousMac: mac,
      sealedAt: from + 10 * MINUTE_MS,
    }
    mac = macOf(sealedText({ ...seal, tenantId: 'acme' }))
    return { ...seal, mac, foundEntries: 2, foundDigest: seal.digest }
  }
  return [next(0), next(1), next(2), next(3)] as const
}

function problemsOf(
  seals: readonly FoundSeal[],
  { expiredBefore = 0, total = 2 * seals.length, tenantId = 'acme' } = {},
): readonly string[] {
  const check = new AuditChainCheck({ tenantId, expiredBefore, isMac })
  for (const seal of seals) check.add(seal)
  check.checkTotal(total)
  return check.problems
}

describe('a chain of seals', () => {
  const [first, second, third, fourth] = chainOf()
  const chain = [first, second, third, fourth]
  const changed = (index: number, change: Partial<FoundSeal>) =>
    chain.map((seal, at) => (at === index ? { ...seal, ...change } : seal))

  test('is whole', () => {
    expect(problemsOf(chain)).toEqual([])
    expect(problemsOf([])).toEqual([])
  })

  test.each([
    ['a removed entry', changed(1, { foundEntries: 1, foundDigest: 'other' }), '1 entry was removed'],
    ['all entries removed', changed(1, { foundEntries: 0, foundDigest: '' }), '2 entries were removed'],
    ['an added entry', changed(1, { foundEntries: 3, foundDigest: 'other' }), '1 entry was added'],
    ['a changed entry', changed(1, { foundDigest: 'other' }), 'an entry was changed'],
    ['a seal that was made to fit', changed(1, { digest: 'other', foundDigest: 'other' }), 'not ours'],
    ['a removed seal', chain.toSpliced(1, 1), 'seals 2 to 2 are missing'],
    ['a removed beginning', chain.slice(1), 'the seals before it are missing'],
    [
      'a seal of another log',
      changed(1, { mac: macOf(sealedText({ ...second, tenantId: 'rival' })) }),
      'not ours',
    ],
  ])('shows %s', (_, seals, problem) => {
    expect(problemsOf(seals).join()).toContain(problem)
  })

  test('shows entries at times without a seal', () => {
    const problem = '1 entry was added to times that are sealed, or their seals were removed.'
    expect(problemsOf(chain, { total: 9 })).toEqual([problem])
    expect(problemsOf([], { total: 1 })).toEqual([problem])
  })

  test('may begin with expired entries, and with a seal whose predecessors were deleted', () => {
    const expired = { ...second, foundEntries: 0, foundDigest: '' }
    const expiredBefore = third.from
    expect(problemsOf([expired, third, fourth], { expiredBefore, total: 4 })).toEqual([])
    expect(problemsOf([{ ...expired, mac: 'other' }, third, fourth], { expiredBefore, total: 4 })).toEqual([
      expect.stringContaining('Seal 2'),
      expect.stringContaining('Seal 3'),
    ])
  })

  test('notes seals that were made hours later, as after a rollback of the position', () => {
    const late = { ...first, sealedAt: first.until + 3 * 60 * MINUTE_MS }
    const mac = macOf(sealedText({ ...late, tenantId: 'acme' }))
    const check = new AuditChainCheck({ tenantId: 'acme', expiredBefore: 0, isMac })
    check.add({ ...late, mac })
    expect(check.problems).toEqual([])
    expect(check.notes).toEqual([expect.stringContaining('Seal 1 was made at')])
  })
})
