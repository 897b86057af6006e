import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX, INT64_MIN, int64FieldNames, parseJson } from '../src/index.ts'

const parse = (text: string) => parseJson(new TextEncoder().encode(text), int64FieldNames())

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const wide = (fields: number) =>
  `{${Array.from({ length: fields }, (_, index) => `"f${index}":1`).join(',')}}`

describe('strict JSON', () => {
  it('reads what JSON.parse reads', () => {
    const wellFormed = fc.jsonValue({ stringUnit: 'grapheme' }).filter((value) => {
      const text = JSON.stringify(value)
      return !text.includes('__proto__') && !text.includes('\\u0000')
    })
    fc.assert(
      fc.property(wellFormed, (value) => {
        const text = JSON.stringify(value)
        const expected: unknown = JSON.parse(text)
        expect(parse(text)).toEqual({ ok: true, value: expected })
      }),
    )
  })

  it('keeps every digit of a bare integer in a field of 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (number) => {
        expect(parse(`{"a":[{"runId":${number}}]}`)).toEqual({
          ok: true,
          value: { a: [{ runId: number.toString() }] },
        })
      }),
    )
  })

  it('does not take a fraction or an exponent for an integer', () => {
    expect(parse('{"runId":1.0}')).toEqual({ ok: true, value: { runId: 1 } })
    expect(parse('{"runId":1e3}')).toEqual({ ok: true, value: { runId: 1000 } })
  })

  it('leaves numbers in other fields alone', () => {
    expect(parse('{"pageSize":7,"runId":"7"}')).toEqual({ ok: true, value: { pageSize: 7, runId: '7' } })
  })

  it.each([
    '{"__proto__":{}}',
    '{"\\u005f_proto__":{}}',
    '{"__pr\\u006Fto__":"x"}',
    '{"__\\u0070ro\\u0074o__":"x"}',
    '{"a":[{"__proto__":"x"}]}',
    '"\\u0000"',
    '{"\\u0000":"x"}',
    '"\\ud800"',
    '{"\\udc00":"x"}',
    '{"a":}',
    '',
    '{"a":1}x',
    '\uFEFF{',
  ])('refuses %s', (text) => {
    expect(parse(text).ok).toBe(false)
  })

  it('refuses what is too deep or too wide to parse quickly, and says so', () => {
    expect(parse(nested(500)).ok).toBe(true)
    expect(parse(nested(501))).toEqual({ ok: false, problem: 'it is nested more than 500 levels deep' })
    expect(parse(wide(1_000)).ok).toBe(true)
    expect(parse(`[${wide(1_001)}]`)).toEqual({
      ok: false,
      problem: 'an object in it has more than 1000 fields',
    })
  })

  it('counts each object by itself, and nothing in texts', () => {
    expect(parse(`[${wide(900)},${wide(900)},{"a":${wide(900)},"b":1}]`).ok).toBe(true)
    const texts = ['[{:'.repeat(2_000), '\\"[:'.repeat(2_000), '\\'.repeat(999)]
    for (const text of texts) expect(parse(JSON.stringify({ text }))).toEqual({ ok: true, value: { text } })
  })

  it('takes an escaped pair of surrogates, which is a character', () => {
    expect(parse('"\\ud83d\\ude00"')).toEqual({ ok: true, value: '😀' })
  })

  it('refuses bytes that are not UTF-8', () => {
    expect(parseJson(Uint8Array.of(0x22, 0xff, 0x22)).ok).toBe(false)
  })

  it('never throws, however deep the nesting', () => {
    const deep = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`
    expect(typeof parse(deep).ok).toBe('boolean')
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof parseJson(bytes, int64FieldNames()).ok).toBe('boolean')
      }),
    )
  })
})
