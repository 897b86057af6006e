import { describe, expect, test } from 'vitest'
import { parseDocument, parseOwnOrBuiltIn } from '../src/index.ts'

describe('a stored document', () => {
  test('has the defaults of fields that are newer than it is', () => {
    expect(parseDocument('pool', 'small', { maxRuns: 3 })).toEqual({
      description: '',
      maxRuns: 3,
      sandbox: 'bubblewrap',
      vmProfile: '',
      build: { name: '' },
    })
  })

  test.each([
    ['environment', { network: 'anything' }, 'network'],
    ['pool', { sandbox: 'container' }, 'sandbox'],
    ['vm-profile', { cpus: 'many' }, 'cpus'],
    ['quota', { liveAgents: -1 }, 'liveAgents'],
    ['workspace', { repos: [{ url: 7 }] }, 'repos[0].url'],
    ['persona', { unheardOf: true }, 'unheardOf'],
  ] as const)('that is not a %s is rejected, naming the resource and the field', (kind, document, field) => {
    expect(() => parseDocument(kind, 'mine', document)).toThrow(
      `The stored ${kind} mine does not match its schema: ${field}`,
    )
  })
})

describe('the document that a name refers to', () => {
  test('is the tenant’s own document, even if one of that name is built in', () => {
    expect(parseOwnOrBuiltIn('persona', 'default', { prompt: 'Mine.' })?.prompt).toBe('Mine.')
  })

  test('is else what is built in', () => {
    expect(parseOwnOrBuiltIn('backend', 'a', undefined)?.models).toContain('claude-*')
  })

  test('is nothing if neither exists', () => {
    expect(parseOwnOrBuiltIn('workspace', 'nowhere', undefined)).toBeUndefined()
  })
})
