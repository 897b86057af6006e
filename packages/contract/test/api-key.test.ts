import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatKey, formatKeyId, KEY_PREFIXES, parseKey } from '../src/facts.ts'

const prefix = fc.constantFrom(KEY_PREFIXES.apiKey, KEY_PREFIXES.shareLink)
const cell = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const idBytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const keyId = fc.tuple(cell, idBytes).map(([name, bytes]) => formatKeyId(name, bytes))
const key = fc.tuple(prefix, keyId, secretBytes).map((parts) => formatKey(...parts))

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))

describe('api key', () => {
  it('comes apart into what it was put together from', () => {
    fc.assert(
      fc.property(prefix, keyId, secretBytes, (kind, id, random) => {
        const text = formatKey(kind, id, random)
        const parsed = parseKey(text)
        expect(parsed).toMatchObject({ prefix: kind, keyId: id })
        expect(text).toBe(`${kind}_${id}.${parsed?.secret}`)
      }),
    )
  })

  it('is refused when any one character is changed', () => {
    fc.assert(
      fc.property(key, fc.nat(), printable, (text, at, other) => {
        const index = at % text.length
        fc.pre(text[index] !== other)
        expect(parseKey(text.slice(0, index) + other + text.slice(index + 1))).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it('is refused at every position, for every other character that a key can have', () => {
    const text = formatKey('skn', formatKeyId('eu1', new Uint8Array(16).fill(9)), new Uint8Array(32).fill(7))
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.'
    const accepted = Array.from(text).flatMap((char, index) =>
      Array.from(alphabet)
        .filter((other) => other !== char)
        .map((other) => text.slice(0, index) + other + text.slice(index + 1))
        .filter((changed) => parseKey(changed) !== undefined),
    )
    expect(accepted).toEqual([])
  })

  it('is refused when it was cut, lengthened or has its neighbours swapped', () => {
    fc.assert(
      fc.property(key, fc.nat(), printable, (text, at, extra) => {
        const index = at % text.length
        expect(parseKey(text.slice(0, index))).toBeUndefined()
        expect(parseKey(text + extra)).toBeUndefined()
        const [left, right] = [text[index] ?? '', text[index + 1] ?? '']
        fc.pre(left !== right && right !== '')
        expect(parseKey(text.slice(0, index) + right + left + text.slice(index + 2))).toBeUndefined()
      }),
    )
  })

  it('never throws on arbitrary text', () => {
    const almost = fc.stringMatching(/^skn_[a-z0-9]{20,40}\.[A-Za-z0-9_-]{40,55}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost), (text) => {
        expect(parseKey(text)).toBeUndefined()
      }),
    )
  })
})

describe('key id', () => {
  it('sorts as its bytes do', () => {
    fc.assert(
      fc.property(cell, idBytes, idBytes, (name, left, right) => {
        const byBytes = Math.sign(Buffer.compare(left, right))
        const [leftId, rightId] = [formatKeyId(name, left), formatKeyId(name, right)]
        const byText = leftId < rightId ? -1 : Number(leftId > rightId)
        expect(byText).toBe(byBytes)
      }),
    )
  })
})
