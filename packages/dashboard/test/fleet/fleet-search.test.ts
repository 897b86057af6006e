import { describe, expect, test } from 'vitest'
import { toChoices } from '../../src/pages/fleet/filters/choices.ts'
import { matchItems, readLabels, toFleetFilter } from '../../src/pages/fleet/filters/fleet-filter.ts'
import {
  clearFilters,
  readFleetSearch,
  togglePhase,
  type FleetSearch,
} from '../../src/pages/fleet/fleet-search.ts'
import { listChips } from '../../src/pages/fleet/filters/list-chips.ts'
import {
  addRecentlyEnded,
  endedLast,
  showsRecent,
  toEndedFilter,
} from '../../src/pages/fleet/recently-ended.ts'
import { compareItems, DEFAULT_SORT } from '../../src/pages/fleet/sort-items.ts'
import { makeItem } from './fleet-entries.ts'

const ended = (path: string, endTime: string) => makeItem(path, { phase: 'PHASE_COMPLETED', endTime })

describe('the address', () => {
  test('leaves out what is as usual and what is not understood', () => {
    expect(
      readFleetSearch({
        view: 'pie',
        phase: 'asleep',
        text: '',
        sort: 'age',
        ended: 'yes',
        evil: '<script>',
      }),
    ).toEqual({})
  })

  test('reads back what it says', () => {
    const search = {
      view: 'tree',
      phase: 'running,failed',
      asks: true,
      account: 'mine',
      workspace: 'shop',
      label: 'team=docs',
      text: 'checkout',
      ended: true,
      sort: '-cost',
    }
    expect(readFleetSearch(search)).toEqual(search)
  })

  test('takes a number for the text that it is', () => {
    expect(readFleetSearch({ text: 42 })).toEqual({ text: '42' })
  })

  test('the same phases are the same address, in whatever order they were chosen', () => {
    const one = togglePhase(togglePhase({}, 'failed'), 'running')
    expect(one).toEqual(togglePhase(togglePhase({}, 'running'), 'failed'))
    expect(togglePhase(togglePhase(one, 'failed'), 'running')).toEqual({})
  })
})

describe('filters', () => {
  test('everyone’s live agents are asked for when nothing is chosen', () => {
    expect(toFleetFilter({})).toEqual({ account: '*' })
    expect(toFleetFilter({ account: 'mine' })).toEqual({ account: '' })
  })

  test('a live phase does not change the request, so that a toggle takes effect immediately', () => {
    expect(toFleetFilter({ phase: 'running' })).toEqual(toFleetFilter({}))
  })

  test('an ended phase is asked for without the other ended ones', () => {
    expect(toFleetFilter({ phase: 'failed' })).toEqual({
      account: '*',
      phases: ['PHASE_FAILED'],
      includeTerminal: true,
    })
  })

  test('labels that are not finished yet are not sent', () => {
    expect(readLabels('team')).toBeUndefined()
    expect(readLabels('team=docs, env=, =x')).toEqual({ team: 'docs', env: '' })
  })

  test('all words must be somewhere in the agent, in any case', () => {
    const item = makeItem('checkout', { needsInput: 'Which Currency?' })
    expect(matchItems({ text: 'CURRENCY check' })(item)).toBe(true)
    expect(matchItems({ text: 'currency refund' })(item)).toBe(false)
  })

  test('asking and idle are separate filters; both together show both', () => {
    const items = [
      makeItem('asks', { phase: 'PHASE_WAITING', needsInput: 'Which?' }),
      makeItem('rests', { phase: 'PHASE_WAITING' }),
      makeItem('busy'),
    ]
    const shown = (search: FleetSearch) => items.filter(matchItems(search)).map(({ title }) => title)
    expect(shown({ asks: true })).toEqual(['shop/asks'])
    expect(shown({ phase: 'waiting' })).toEqual(['shop/rests'])
    expect(shown({ asks: true, phase: 'waiting' })).toEqual(['shop/asks', 'shop/rests'])
    expect(shown({ asks: true, phase: 'running' })).toEqual(['shop/asks', 'shop/busy'])
    expect(toFleetFilter({ asks: true, phase: 'failed' }).phases).toEqual(['PHASE_FAILED', 'PHASE_WAITING'])
  })

  test('agents that ended in the last hour are below the live ones, unless a filter asks for them', () => {
    const now = Date.parse('2026-11-15T12:00:00.000Z')
    const items = addRecentlyEnded(
      [makeItem('old', { createTime: '2026-11-15T07:00:00.000Z' }), makeItem('continued')],
      [
        ended('just-now', '2026-11-15T11:59:00.000Z'),
        ended('continued', '2026-11-15T11:30:00.000Z'),
        ended('long-ago', '2026-11-15T10:59:00.000Z'),
      ],
      now,
    )
    const titles = items.toSorted(endedLast(compareItems(DEFAULT_SORT))).map(({ title }) => title)
    expect(titles).toEqual(['shop/continued', 'shop/old', 'shop/just-now'])
    expect(showsRecent({ text: 'x', workspace: 'shop' })).toBe(true)
    for (const search of [{ asks: true }, { ended: true }, { phase: 'running' }] as const)
      expect(showsRecent(search)).toBe(false)
    expect(toEndedFilter({ workspace: 'shop' })).toMatchObject({ workspace: 'shop', includeTerminal: true })
  })

  test('each one that is on can be taken away by itself', () => {
    const search = readFleetSearch({ phase: 'waiting,running', text: 'a', ended: true, view: 'tree' })
    const chips = listChips(search)
    expect(chips.map(({ label }) => label)).toEqual([
      'Phase: running',
      'Phase: waiting',
      'Text: a',
      'Include ended',
    ])
    const rest = chips.reduce((left, chip) => readFleetSearch({ ...chip.without(left) }), search)
    expect(rest).toEqual({ view: 'tree' })
    expect(clearFilters(search)).toEqual({ view: 'tree' })
  })

  test('the selection is visible even if nothing on the page matches it', () => {
    const choices = toChoices([{ value: '', label: 'All' }], ['b', 'a'], 'gone')
    expect(choices.map((choice: { readonly value: string }) => choice.value)).toEqual(['', 'a', 'b', 'gone'])
  })
})
