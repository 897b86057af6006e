import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64, encodeBase64Text, isBase64 } from '../src/index.ts'

const bytes = fc.uint8Array({ maxLength: 300 })
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')
const unpadded = (text: string): string => text.replace(/=+$/, '')

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

describe('base64', () => {
  it('writes what Node writes: the standard alphabet with padding', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        expect(encodeBase64(value)).toBe(Buffer.from(value).toString('base64'))
      }),
    )
  })

  it('reads both alphabets, padded or not', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const text = encodeBase64(value)
        for (const spelling of [text, urlSafe(text), unpadded(text), unpadded(urlSafe(text))]) {
          expect(decodeBase64(spelling)).toEqual(value)
          expect(isBase64(spelling)).toBe(true)
        }
      }),
    )
  })

  it('encodes text as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(Buffer.from(encodeBase64Text(text), 'base64').toString('utf8')).toBe(text)
      }),
    )
  })

  it('gives each value one spelling: a last digit with spare bits set is refused', () => {
    const tail = fc.uint8Array({ minLength: 1, maxLength: 30 }).filter((value) => value.length % 3 !== 0)
    fc.assert(
      fc.property(tail, fc.integer({ min: 1, max: 15 }), (value, spare) => {
        const text = unpadded(encodeBase64(value))
        const spareBits = value.length % 3 === 1 ? spare : (spare % 3) + 1
        const digit = DIGITS[DIGITS.indexOf(text.slice(-1)) + spareBits]
        const other = `${text.slice(0, -1)}${digit}`
        // Node reads it without complaint, which is what makes it dangerous.
        expect(Buffer.from(other, 'base64')).toEqual(Buffer.from(value))
        expect(decodeBase64(other)).toBeUndefined()
        expect(isBase64(other)).toBe(false)
      }),
    )
  })

  it.each(['A', 'A===', '=', '==', 'AA=', 'AAA==', 'AAAA=', 'AAAA====', 'AA==AA==', 'AA AA', 'AAAA\n', 'é'])(
    'refuses %j',
    (text) => {
      expect(decodeBase64(text)).toBeUndefined()
    },
  )

  it('takes only text that decodes and encodes to itself, whatever it is given', () => {
    const almost = fc.stringMatching(/^[A-Za-z0-9+/_=-]{0,12}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost), (text) => {
        const value = decodeBase64(text)
        expect(isBase64(text)).toBe(value !== undefined)
        if (value === undefined) return
        const standard = text.replaceAll('-', '+').replaceAll('_', '/')
        expect(unpadded(encodeBase64(value))).toBe(unpadded(standard))
      }),
    )
  })

  it('handles a document of the largest size a catalog write accepts', () => {
    const large = new Uint8Array(3 * 1024 * 1024).map((_, index) => index % 251)
    expect(Buffer.compare(decodeBase64(encodeBase64(large)) ?? new Uint8Array(), large)).toBe(0)
  })
})
