import { encodeBase64, encodeBase64Text, SkeinError } from '@skein/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodePayload, isDocument } from '../src/catalog/document.ts'

/** A document, or undefined for a refusal that names the payload. Anything else thrown fails the test. */
function outcomeOf(payload: string): unknown {
  try {
    return decodePayload(payload)
  } catch (error) {
    const isRefusal = error instanceof SkeinError && error.reason === 'DOCUMENT_INVALID'
    if (isRefusal && error.violations.map(({ field }) => field).join() === 'payload') return undefined
    throw error
  }
}

describe('a payload', () => {
  test('is a document or is refused, whatever text it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect([true, false]).toContain(isDocument(outcomeOf(text)))
      }),
      { numRuns: 3_000 },
    )
  })

  test('is a document or is refused, whatever bytes are in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect([true, false]).toContain(isDocument(outcomeOf(encodeBase64(bytes))))
      }),
      { numRuns: 3_000 },
    )
  })

  test('comes out as it went in', () => {
    const key = fc.string().filter((text) => text !== '__proto__' && !text.includes('\0'))
    const value = fc.oneof(fc.integer(), fc.boolean(), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (document) => {
        expect(decodePayload(encodeBase64Text(JSON.stringify(document)))).toEqual(document)
      }),
    )
  })

  test.each([
    '[]',
    'null',
    '7',
    '"text"',
    'true',
    '',
    '{',
    '{"a":1}}',
    '{"__proto__":{}}',
    '{"a":"\\u0000"}',
  ])('with %s in it is refused', (text) => {
    expect(outcomeOf(encodeBase64Text(text))).toBeUndefined()
  })

  test('nested deeper than any stack is refused or read, never a crash', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = open.repeat(100_000) + '1' + close.repeat(100_000)
      expect(() => outcomeOf(encodeBase64Text(`{"a":${deep}}`))).not.toThrow()
      expect(outcomeOf(encodeBase64Text(`{"a":${deep},"b":"\\u0000"}`))).toBeUndefined()
    }
  })
})
