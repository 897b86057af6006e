import { expect, test } from 'vitest'
import { SeenPosition } from '../src/call/seen-position.ts'

function sentAfter(seen: SeenPosition, ...answered: (string | undefined)[]): string | null {
  for (const position of answered) {
    seen.note(new Headers(position === undefined ? {} : { 'skein-position': position }))
  }
  const headers = new Headers()
  seen.addTo(headers)
  return headers.get('skein-position')
}

test('the latest position that a service answered is sent along, in whatever order answers come', () => {
  expect(sentAfter(new SeenPosition())).toBe(null)
  expect(sentAfter(new SeenPosition(), undefined)).toBe(null)
  expect(sentAfter(new SeenPosition(), '0/FF', '0/1000', undefined, '0/A0')).toBe('0/1000')
  expect(sentAfter(new SeenPosition(), '9/FFFFFFFF', '10/0')).toBe('10/0')
  expect(sentAfter(new SeenPosition(), 'a/1', '9/2')).toBe('a/1')
})

test('a program that reads the latest state always asks for it', () => {
  expect(sentAfter(new SeenPosition('latest'), '0/1000')).toBe('latest')
})
