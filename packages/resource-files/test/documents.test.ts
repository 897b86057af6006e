import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DocumentError,
  formatDocument,
  formatResource,
  isDocument,
  normalize,
  parseResources,
  readDocument,
} from '../src/index.ts'

const MARKDOWN = [{ kind: 'persona', bodyField: 'prompt' }]

const fields = fc.dictionary(
  fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/).filter((name) => name !== 'prompt' && name !== 'metadata'),
  fc.jsonValue({ maxDepth: 3 }),
)
/** JSON has no -0, so a document that was read never holds one. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a document as text', () => {
  it('reads back what it wrote, as YAML', () => {
    fc.assert(
      fc.property(fields, (document) => {
        const read = readDocument(formatDocument({ ...document }))
        expect(read.problems).toEqual([])
        expect(asJson(read.document)).toEqual(asJson(document))
      }),
    )
  })

  it('reads back what it wrote, as Markdown', () => {
    fc.assert(
      fc.property(fields, fc.string({ unit: 'grapheme' }), (document, body) => {
        const prompt = body.trim()
        const read = readDocument(formatDocument({ ...document, prompt }, 'prompt'), 'prompt')
        expect(read.problems).toEqual([])
        expect(asJson(read.document)).toEqual(asJson({ ...document, prompt }))
      }),
    )
  })

  it('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const bodyField of [undefined, 'prompt']) {
          const read = readDocument(text, bodyField)
          expect(isDocument(read.document)).toBe(true)
          for (const { from, to } of read.problems) expect(0 <= from && from <= to).toBe(true)
        }
      }),
    )
  })

  it('says where the YAML is broken', () => {
    const text = 'description: fine\nmodel: "open\n'
    const [problem] = readDocument(text).problems
    expect(problem?.message).toContain('closing')
    expect(text.slice(0, problem?.from).split('\n').length).toBeGreaterThan(1)
  })

  it('counts positions in front matter from the start of the text', () => {
    const text = '---\ndescription: fine\nmodel: m\n---\n\nBe brief.\n'
    const { from, to } = readDocument(text, 'prompt').locate(['model'])
    expect(text.slice(from, to)).toBe('model')
  })

  it('finds nested fields and items, and the nearest one for a field that is missing', () => {
    const text = 'repos:\n  - url: one\n  - baseBranch: main\n'
    const { locate } = readDocument(text)
    const show = (path: readonly (string | number)[]): string => {
      const { from, to } = locate(path)
      return text.slice(from, to).trim()
    }
    expect(show(['repos', 1, 'baseBranch'])).toBe('baseBranch')
    expect(show(['repos', 1, 'url'])).toBe('baseBranch: main')
    expect(show(['repos', 0, 'url'])).toBe('url')
  })

  it('refuses a list, and a body that is written twice', () => {
    expect(readDocument('- a\n- b\n').problems[0]?.message).toContain('consists of fields')
    expect(readDocument('---\nprompt: one\n---\ntwo', 'prompt').problems[0]?.message).toContain('below the')
  })

  it('refuses aliases that unfold without end', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (const [from, to] of ['ab', 'bc', 'cd', 'de'])
      bomb.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(', ')}]`)
    expect(readDocument(bomb.join('\n')).problems[0]?.message).toContain('alias')
  })
})

describe('a file of resources', () => {
  it('reads back a resource with its kind and name', () => {
    const resource = { kind: 'persona', name: 'reviewer', document: { model: 'm', prompt: 'Be brief.' } }
    const text = formatResource(resource, 'prompt')
    expect(parseResources(text, 'reviewer.md', MARKDOWN)).toMatchObject([resource])
    expect(parseResources(text, '-', MARKDOWN)).toMatchObject([resource])
  })

  it('takes several YAML documents, and the kind and name from the path', () => {
    const text = 'kind: secret\nname: one\n---\nkind: secret\nname: two\n'
    expect(parseResources(text, '-', MARKDOWN).map(({ name }) => name)).toEqual(['one', 'two'])
    const [fromPath] = parseResources('description: x\n', 'catalog/workspaces/shop.yaml', MARKDOWN)
    expect(fromPath).toMatchObject({ kind: 'workspace', name: 'shop' })
  })

  it('says what is missing and what to do', () => {
    expect(() => parseResources('description: x\n', '-', MARKDOWN)).toThrow(DocumentError)
    expect(() => parseResources('---\nkind: quota\nname: a\n---\ntext', 'a.md', MARKDOWN)).toThrow(
      'cannot be written as Markdown',
    )
  })
})

describe('the form for comparison', () => {
  it('fills defaults in and leaves out what the service sets or hides', () => {
    const schema = {
      properties: {
        model: { default: '' },
        value: { writeOnly: true },
        metadata: { readOnly: true },
        role: {},
      },
    }
    expect(normalize({ role: 'member', value: 's', metadata: {} }, schema)).toEqual({
      model: '',
      role: 'member',
    })
  })
})
