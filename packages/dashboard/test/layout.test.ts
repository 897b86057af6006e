import { describe, expect, test } from 'vitest'
import { findPlaces, listPages } from '../src/layout/palette/find-places.ts'
import { titleOf } from '../src/layout/title-of.ts'
import { makeEntry } from './fleet/fleet-entries.ts'

const labels = (text: string, isAdmin = true) =>
  findPlaces(text, listPages(isAdmin), [makeEntry('release'), makeEntry('release/docs')]).map(
    ({ label }) => label,
  )

describe('the title', () => {
  test.for([
    ['/', 0, 'Fleet · Skein'],
    ['/inbox', 3, '(3) Inbox · Skein'],
    ['/agents/codehost_oauth/ada/shop/release/docs', 1, '(1) shop/release/docs · Skein'],
    ['/catalog/persona/the%20critic', 0, 'persona/the critic · Skein'],
    ['/catalog', 0, 'Catalog · Skein'],
    ['/nowhere', 0, 'Not found · Skein'],
    ['/catalog/%E0%A4%A', 0, '%E0%A4%A · Skein'],
  ] as const)('of %s with %d questions is %s', ([pathname, questions, title]) => {
    expect(titleOf(pathname, questions)).toBe(title)
  })
})

describe('the palette', () => {
  test('finds pages and agents in which every word is, in any case', () => {
    expect(labels('REL docs')).toEqual(['shop/release/docs'])
    expect(labels('run')).toEqual(['Runners'])
    expect(labels('nothing like it')).toEqual([])
  })

  test('offers all pages at first, and only those that one may read', () => {
    expect(labels('').slice(0, 2)).toEqual(['Fleet', 'Inbox'])
    expect(labels('')).toContain('Audit log')
    expect(labels('', false)).not.toContain('Audit log')
  })

  test('shows no more agents than fit', () => {
    const agents = Array.from({ length: 500 }, (_, at) => makeEntry(`agent-${at}`))
    expect(findPlaces('agent-', listPages(true), agents)).toHaveLength(12)
  })
})
