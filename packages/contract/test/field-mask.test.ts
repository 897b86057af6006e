import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findKind,
  formatFieldMask,
  isKnownPath,
  parseFieldMask,
  type FieldPath,
  type MaskableSchema,
} from '../src/index.ts'

const segment = fc.constantFrom('a', 'b', 'c', 'spec', 'repos', 'base-branch', 'NPM_TOKEN')
const path = fc.array(segment, { minLength: 1, maxLength: 4 })
const maskText = fc.array(path, { minLength: 1, maxLength: 8 }).map((paths) => formatFieldMask(paths))

function covers(other: FieldPath, of: FieldPath): boolean {
  return other.length <= of.length && other.every((part, index) => of[index] === part)
}

describe('field mask', () => {
  it('means the same after it was written and read again', () => {
    fc.assert(
      fc.property(maskText, (text) => {
        const mask = parseFieldMask(text)
        expect(mask).toBeDefined()
        expect(mask && parseFieldMask(formatFieldMask(mask))).toEqual(mask)
      }),
    )
  })

  it('drops paths that another path covers, and nothing else', () => {
    fc.assert(
      fc.property(maskText, (text) => {
        const mask = parseFieldMask(text)
        if (mask === undefined || mask === '*') throw new Error('a well-formed mask was refused')
        for (const [index, kept] of mask.entries()) {
          expect(mask.some((other, at) => at !== index && covers(other, kept))).toBe(false)
        }
        for (const asked of text.split(',').map((part) => part.split('.'))) {
          expect(mask.some((kept) => covers(kept, asked))).toBe(true)
        }
      }),
    )
  })

  it('keeps the order in which paths were named', () => {
    expect(parseFieldMask('tasks,model,model,spec.repos,spec')).toEqual([['tasks'], ['model'], ['spec']])
  })

  it('reads an empty text as an empty mask, and a star alone as everything', () => {
    expect(parseFieldMask('')).toEqual([])
    expect(parseFieldMask('*')).toBe('*')
    expect(formatFieldMask([])).toBe('')
    expect(formatFieldMask('*')).toBe('*')
  })

  it.each([',', 'a,', ',a', 'a..b', '.a', 'a.', 'a,*', '*.a', 'a b', 'a, b', 'a[0]', 'é', 'a\n'])(
    'refuses %j',
    (text) => {
      expect(parseFieldMask(text)).toBeUndefined()
    },
  )

  it('refuses a path that is deeper than any document', () => {
    expect(parseFieldMask(Array.from({ length: 33 }, () => 'a').join('.'))).toBeUndefined()
  })

  it('never throws on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const mask = parseFieldMask(text)
        expect(mask && parseFieldMask(formatFieldMask(mask))).toEqual(mask)
      }),
    )
  })
})

const schemaOf = (kind: string): MaskableSchema => findKind(kind)?.schema ?? {}

describe('a known path', () => {
  it('goes through objects and the keys of maps', () => {
    expect(isKnownPath(schemaOf('workspace'), ['repos'])).toBe(true)
    expect(isKnownPath(schemaOf('pool'), ['build', 'name'])).toBe(true)
    expect(isKnownPath(schemaOf('environment'), ['variables', 'NODE_ENV'])).toBe(true)
  })

  it('does not go into arrays, below plain values or to fields that do not exist', () => {
    expect(isKnownPath(schemaOf('workspace'), ['repos', '0'])).toBe(false)
    expect(isKnownPath(schemaOf('workspace'), ['repos', 'url'])).toBe(false)
    expect(isKnownPath(schemaOf('workspace'), ['model', 'name'])).toBe(false)
    expect(isKnownPath(schemaOf('workspace'), ['modell'])).toBe(false)
    expect(isKnownPath(schemaOf('environment'), ['variables', 'no-dash'])).toBe(false)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'is not %s, which every object inherits',
    (name) => {
      expect(isKnownPath(schemaOf('workspace'), [name])).toBe(false)
    },
  )

  it('is never __proto__, not even as the key of a map', () => {
    expect(isKnownPath(schemaOf('environment'), ['variables', '__proto__'])).toBe(false)
    expect(isKnownPath(schemaOf('environment'), ['secrets', '__proto__'])).toBe(false)
  })
})
