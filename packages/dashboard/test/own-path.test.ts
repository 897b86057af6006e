import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readOwnPath } from '../src/session/own-path.ts'

const ORIGIN = 'http://127.0.0.1:8080'

describe('the page after the sign-in', () => {
  it.each([
    '/',
    '/catalog',
    '/agents/codehost_oauth/mia/sample/a/b',
    '/audit?kind=token#top',
    '/?text=a%2Fb',
  ])('is %s if that is one of our pages', (next) => expect(readOwnPath(next, ORIGIN)).toBe(next))

  it.each([
    undefined,
    7,
    ['/catalog'],
    '',
    'catalog',
    'http://evil.example/',
    'HTTP:evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2fevil.example',
    '/%5Cevil.example',
    '/%2e//evil.example',
    '/%',
    '/%ff',
    'javascript:alert(1)',
    `${ORIGIN}.evil.example/`,
    `${ORIGIN}@evil.example/`,
  ])('is the first page when next is %j', (next) => expect(readOwnPath(next, ORIGIN)).toBe('/'))

  it('stays on this host for every text, however it is read again', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      ':',
      '@',
      '%2f',
      '%5c',
      '%2e',
      '\t',
      '\u0000',
      'http',
      'e.x',
      '?',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => `/${pieces.join('')}`),
          fc.string(),
        ),
        (next) => {
          const path = readOwnPath(next, ORIGIN)
          expect(new URL(path, ORIGIN).origin).toBe(ORIGIN)
          expect(new URL(decodeURIComponent(new URL(path, ORIGIN).pathname), ORIGIN).origin).toBe(ORIGIN)
          expect(readOwnPath(path, ORIGIN)).toBe(path)
        },
      ),
      { numRuns: 5_000 },
    )
  })
})
