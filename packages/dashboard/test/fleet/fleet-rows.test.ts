import { describe, expect, test } from 'vitest'
import type { FleetItem } from '../../src/live/fleet-item.ts'
import { buildTable, buildTree } from '../../src/pages/fleet/build-rows.ts'
import type { FleetRow } from '../../src/pages/fleet/fleet-row.ts'
import { moveInRows } from '../../src/pages/fleet/grid/move-in-rows.ts'
import { pickWords } from '../../src/agent/pick-words.ts'
import { compareItems, DEFAULT_SORT, readSort, writeSort } from '../../src/pages/fleet/sort-items.ts'
import { makeEntry, makeItem } from './fleet-entries.ts'

const byName = compareItems({ column: 'agent', isDescending: false })
const everyone = (_item: FleetItem): boolean => true

function draw(rows: readonly FleetRow[]): string[] {
  return rows.map(
    ({ level, name, isMatch, children, isExpanded }) =>
      `${' '.repeat(level - 1)}${name}${isMatch ? '' : '?'}${children > 0 ? (isExpanded ? '-' : '+') : ''}`,
  )
}

const family = [
  makeItem('release/docs/notes'),
  makeItem('release'),
  makeItem('release/docs'),
  makeItem('release/code'),
  makeItem('audit'),
]

function treeOf(items: readonly FleetItem[], isMatch = everyone, collapsed: readonly string[] = []) {
  return buildTree(items, { isMatch, compare: byName, collapsed: new Set(collapsed) })
}

describe('the table', () => {
  test('has a line for each match, in order', () => {
    const rows = buildTable(family, { isMatch: ({ title }) => title.includes('do'), compare: byName })
    expect(draw(rows)).toEqual(['shop/release/docs', 'shop/release/docs/notes'])
    expect(rows.map(({ position, siblings }) => [position, siblings])).toEqual([
      [1, 2],
      [2, 2],
    ])
  })

  test('keeps equals in the order of their birth, the youngest first', () => {
    const items = [
      makeItem('old', { cost: 1, createTime: '2026-11-15T07:00:00.000Z' }),
      makeItem('dear', { cost: 2 }),
      makeItem('young', { cost: 1, createTime: '2026-11-15T09:00:00.000Z' }),
    ]
    const compare = compareItems(readSort('-cost'))
    expect(draw(buildTable(items, { isMatch: everyone, compare }))).toEqual([
      'shop/dear',
      'shop/young',
      'shop/old',
    ])
  })

  test('shows who asks before everyone else when sorted by phase', () => {
    const items = [
      makeItem('done', { phase: 'PHASE_COMPLETED' }),
      makeItem('busy'),
      makeItem('rests', { phase: 'PHASE_WAITING' }),
      makeItem('asks', { phase: 'PHASE_WAITING', needsInput: 'Which one?' }),
    ]
    const rows = buildTable(items, { isMatch: everyone, compare: compareItems(readSort('phase')) })
    expect(draw(rows)).toEqual(['shop/asks', 'shop/rests', 'shop/busy', 'shop/done'])
  })

  test('shows who asks first when nobody has chosen an order', () => {
    const items = [
      makeItem('young', { createTime: '2026-11-15T09:00:00.000Z' }),
      makeItem('rests', { phase: 'PHASE_WAITING', createTime: '2026-11-15T08:30:00.000Z' }),
      makeItem('asks', { phase: 'PHASE_WAITING', needsInput: 'Which one?' }),
    ]
    const rows = buildTable(items, { isMatch: everyone, compare: compareItems(readSort(undefined)) })
    expect(draw(rows)).toEqual(['shop/asks', 'shop/young', 'shop/rests'])
  })

  test('an order that nobody knows is the usual one', () => {
    expect(readSort('sideways')).toEqual(DEFAULT_SORT)
    expect(writeSort(readSort('-tokens'))).toBe('-tokens')
  })
})

describe('the tree', () => {
  test('puts children under their parents whatever order they came in', () => {
    expect(draw(treeOf(family))).toEqual(['shop/audit', 'shop/release-', ' code', ' docs-', '  notes'])
  })

  test('keeps the ancestors of a match in sight and nobody else', () => {
    const rows = treeOf(family, ({ title }: FleetItem) => title.endsWith('notes'))
    expect(draw(rows)).toEqual(['shop/release?-', ' docs?-', '  notes'])
  })

  test('hides what is under a collapsed agent', () => {
    const key = family[1]?.key ?? ''
    expect(draw(treeOf(family, everyone, [key]))).toEqual(['shop/audit', 'shop/release+'])
  })

  test('a child whose parent is not listed stands at the top with its whole name', () => {
    expect(draw(treeOf([makeItem('gone/child'), makeItem('here')]))).toEqual(['shop/gone/child', 'shop/here'])
  })

  test('agents of two owners with the same path are two agents', () => {
    const [first] = family
    const other = makeItem('release', { agentId: { ...makeEntry('release').agentId, account: 'bob' } })
    expect(draw(treeOf([...family, other])).filter((line) => line.startsWith('shop/release'))).toHaveLength(2)
    expect(other.key).not.toBe(first?.key)
  })
})

describe('keys', () => {
  const rows = treeOf(family)
  const keyOf = (name: string): string => rows.find((row) => row.name === name)?.item.key ?? ''

  test('move to the next and the one before, and stop at the ends', () => {
    expect(moveInRows(rows, undefined, 'j')).toEqual({ kind: 'focus', key: keyOf('shop/audit') })
    expect(moveInRows(rows, keyOf('shop/audit'), 'ArrowDown')).toEqual({
      kind: 'focus',
      key: keyOf('shop/release'),
    })
    expect(moveInRows(rows, keyOf('shop/audit'), 'k')).toEqual({ kind: 'focus', key: keyOf('shop/audit') })
    expect(moveInRows(rows, keyOf('notes'), 'ArrowDown')).toEqual({ kind: 'focus', key: keyOf('notes') })
  })

  test('to the left collapse first and then lead to the parent', () => {
    expect(moveInRows(rows, keyOf('docs'), 'ArrowLeft')).toEqual({ kind: 'collapse', key: keyOf('docs') })
    expect(moveInRows(rows, keyOf('code'), 'ArrowLeft')).toEqual({
      kind: 'focus',
      key: keyOf('shop/release'),
    })
  })

  test('to the right expand first and then lead to the first child', () => {
    const closed = treeOf(family, everyone, [keyOf('shop/release')])
    expect(moveInRows(closed, keyOf('shop/release'), 'ArrowRight')).toEqual({
      kind: 'expand',
      key: keyOf('shop/release'),
    })
    expect(moveInRows(rows, keyOf('shop/release'), 'ArrowRight')).toEqual({
      kind: 'focus',
      key: keyOf('code'),
    })
    expect(moveInRows(rows, keyOf('notes'), 'ArrowRight')).toBeUndefined()
  })
})

test('a question comes before trouble, trouble before talk, talk before the work given', () => {
  const all = { needsInput: 'Q?', pendingReason: '', errorMessage: 'E', lastMessage: 'M', description: 'D' }
  expect(pickWords(all).text).toBe('Q?')
  expect(pickWords({ ...all, needsInput: '' }).text).toBe('E')
  expect(pickWords({ ...all, needsInput: '', pendingReason: 'P' })).toEqual({ kind: 'pending', text: 'P' })
  expect(pickWords({ ...all, needsInput: '', errorMessage: '' }).text).toBe('M')
  expect(pickWords({ ...all, needsInput: '', errorMessage: '', lastMessage: '' }).text).toBe('D')
})
