import { describe, expect, test } from 'vitest'
import { toChoices } from '../src/pages/fleet/choices.ts'
import { matchItems, readLabels, toFleetFilter } from '../src/pages/fleet/fleet-filter.ts'
import { clearFilters, readFleetSearch, togglePhase } from '../src/pages/fleet/fleet-search.ts'
import { listChips } from '../src/pages/fleet/list-chips.ts'
import { makeItem } from './fleet-entries.ts'

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

  test('a live phase does not change what is asked for, so that a toggle answers at once', () => {
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
    expect(matchItems({ asks: true, phase: 'waiting' })(item)).toBe(false)
    expect(matchItems({ asks: true, phase: 'running' })(item)).toBe(true)
  })

  test('each one that is on can be taken away by itself', () => {
    const search = readFleetSearch({ phase: 'waiting,running', text: 'a', ended: true, view: 'tree' })
    const chips = listChips(search)
    expect(chips.map(({ label }) => label)).toEqual([
      'Phase: running',
      'Phase: waiting',
      'Text: a',
      'Ended too',
    ])
    const rest = chips.reduce((left, chip) => readFleetSearch({ ...chip.without(left) }), search)
    expect(rest).toEqual({ view: 'tree' })
    expect(clearFilters(search)).toEqual({ view: 'tree' })
  })

  test('what is chosen can be seen even when nothing on the page has it', () => {
    const choices = toChoices([{ value: '', label: 'All' }], ['b', 'a'], 'gone')
    expect(choices.map((choice: { readonly value: string }) => choice.value)).toEqual(['', 'a', 'b', 'gone'])
  })
})
