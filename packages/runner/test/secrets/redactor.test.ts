import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PatternSet } from '../../src/secrets/pattern-set.ts'
import { Redactor } from '../../src/secrets/redactor.ts'

const SECRET = 'p/a+s s"w&o<rd=ü'
const KEY = '-----BEGIN KEY-----\nMIIBVwIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n'

function json(text: string): string {
  return JSON.stringify({ text })
}

function asStream(redactor: Redactor, pieces: readonly Buffer[]): Promise<string> {
  return buffer(Readable.from(pieces).pipe(redactor.stream())).then(String)
}

describe('a secret is hidden', () => {
  const { redact } = new Redactor([SECRET, KEY])
  const ascii = (text: string) =>
    json(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

  test.each([
    ['as it is', `token: ${SECRET}!`],
    ['twice', `${SECRET}${SECRET}`],
    ['in JSON', json(SECRET)],
    ['in JSON in JSON', json(json(SECRET))],
    ['in JSON in JSON in JSON', json(json(json(SECRET)))],
    ['in JSON of ASCII', ascii(SECRET)],
    ['in JSON that is safe for HTML', json(SECRET).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026')],
    ['in JSON with escaped slashes', json(SECRET).replaceAll('/', '\\/')],
    ['in a URL', `https://host/?q=${encodeURIComponent(SECRET)}`],
    ['in a URL with small hex', encodeURIComponent(SECRET).toLowerCase().replace('p%2fa%2bs', 'p%2fa%2bs')],
    ['in a form', new URLSearchParams({ q: SECRET }).toString()],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ...['', 'u', 'us', 'user:'].map((before) => [
      `in base64 after "${before}"`,
      Buffer.from(`${before}${SECRET}`).toString('base64'),
    ]),
    ['in base64 within a text', Buffer.from(`before ${SECRET} after`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`x${SECRET}y`).toString('base64url')],
  ])('%s', (_how, text) => {
    const hidden = redact(text)
    expect(hidden).toContain('[secret]')
    expect(hidden).not.toMatch(/p\/a|s"w|rd=|rd%3D|cC9hK3M|9hK3Mgcyd3/)
  })

  test('with several lines also line by line, without the frame that all keys have', () => {
    expect(redact(KEY)).toBe('[secret]\n')
    expect(redact('> MIIBVwIBADANBgkq\r\n> hkiG9w0BAQEFAASC')).toBe('> [secret]\r\n> [secret]')
    expect(redact('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----')
  })

  test('with its white space or without', () => {
    expect(new Redactor([' hunter2 \n']).redact('hunter2 and  hunter2 \n')).toBe('[secret] and  [secret] \n')
  })

  test('that contains another, or overlaps it', () => {
    const both = new Redactor(['abcdef-ghijkl', 'abcdef', 'ghijkl-mnopqr'])
    expect(both.redact('abcdef abcdef-ghijkl abcdef-ghijkl-mnopqr')).toBe('[secret] [secret] [secret]')
  })

  test('in every text of a value, and nothing else is changed', () => {
    const value = { a: [SECRET, 1, null, true], b: { c: `x${SECRET}` } }
    expect(new Redactor([SECRET]).redactAll(value)).toEqual({
      a: ['[secret]', 1, null, true],
      b: { c: 'x[secret]' },
    })
  })
})

test('a value too short to be distinguished from other text is not redacted', () => {
  const { redact } = new Redactor(['', 'a', 'admin', '  1234 \n'])
  expect(redact('a admin 1234')).toBe('a admin 1234')
})

describe('what comes in pieces', () => {
  test('is hidden wherever the pieces begin', () => {
    const alphabet = fc.constantFrom(
      'secret-one',
      'secret-one-and-two',
      'se',
      'cret-one',
      'and-two',
      ' ',
      'ü',
      'x',
    )
    const redactor = new Redactor(['secret-one', 'secret-one-and-two', 'MIIBVwIB'])
    return fc.assert(
      fc.asyncProperty(fc.array(alphabet), fc.array(fc.nat(7)), async (words, sizes) => {
        const bytes = Buffer.from(words.join(''))
        const pieces: Buffer[] = []
        let at = 0
        for (const size of sizes) pieces.push(bytes.subarray(at, (at += size)))
        pieces.push(bytes.subarray(at))
        const text = await asStream(redactor, pieces)
        expect(text).toBe(redactor.redact(words.join('')))
        expect(text).not.toContain('secret-one')
      }),
    )
  })

  test('passes unchanged when there is no secret', async () => {
    const bytes = Buffer.from([0, 255, 254, 10, 13, 128])
    expect(await buffer(Readable.from([bytes, bytes]).pipe(new Redactor([]).stream()))).toEqual(
      Buffer.concat([bytes, bytes]),
    )
  })
})

test('every place of a pattern is found, as a plain search would', () => {
  const letters = fc
    .array(fc.constantFrom('a', 'b'), { minLength: 3, maxLength: 12 })
    .map((all) => all.join(''))
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 80 }).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 5 }), text, (patterns, all) => {
      const found = new PatternSet(patterns.map((pattern) => Buffer.from(pattern))).find(Buffer.from(all))
      const covered = new Set(found.flatMap(({ start, end }) => range(start, end)))
      const expected = patterns.flatMap((pattern) =>
        range(0, all.length).flatMap((at) =>
          all.startsWith(pattern, at) ? range(at, at + pattern.length) : [],
        ),
      )
      expect(covered).toEqual(new Set(expected))
    }),
    { numRuns: 2_000 },
  )
})

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index)
}

test('fifty secrets cost little, even in a text that nearly contains them', async () => {
  const secrets = Array.from({ length: 50 }, (_, index) => `${'a'.repeat(40)}${index}-of-fifty-secrets`)
  const redactor = new Redactor(secrets)
  const text = `${'a'.repeat(60)} `.repeat(16_384)
  const startedAt = performance.now()
  expect(redactor.redact(text)).toBe(text)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
