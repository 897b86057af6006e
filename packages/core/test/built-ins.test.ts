import { KINDS, validatorFor } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { describe, expect, test } from 'vitest'
import { builtInFacts, builtInsOf, findBuiltIn, findReferences } from '../src/index.ts'
import { kindViolations } from '../src/catalog/kind-rules.ts'

const all = KINDS.flatMap((kind) => builtInsOf(kind.kind).map((builtIn) => ({ kind, ...builtIn })))

describe('a built-in', () => {
  test('exists for everything that a tenant needs before it has written anything', () => {
    expect(all.map(({ kind, name }) => `${kind.kind}/${name}`).sort()).toEqual([
      'backend/a',
      'backend/b',
      'ceiling/installation',
      'environment/default',
      'persona/default',
      'pool/default',
      'quota/default',
      'vm-profile/default',
      'workspace/default',
    ])
  })

  test.each(all)('$kind.kind/$name is valid against its schema and the rules of its kind', (builtIn) => {
    const { kind, name, document } = builtIn
    expect(validatorFor(kind.schema).violations(document)).toEqual([])
    expect(kindViolations(kind, document, undefined)).toEqual([])
    expect(isName(name)).toBe(true)
  })

  test.each(all)('$kind.kind/$name refers only to other built-ins', ({ kind, document }) => {
    const references = findReferences(kind, document)
    expect(
      references.filter((reference) => findBuiltIn(reference.kind, reference.name) === undefined),
    ).toEqual([])
  })

  test('is at generation 0, from before anyone wrote', () => {
    expect(builtInFacts('a')).toMatchObject({ name: 'a', generation: 0n, updatedBy: '' })
  })

  test.each(['__proto__', 'constructor', 'toString', 'nothing'])('is never called %s', (name) => {
    expect(builtInsOf(name)).toEqual([])
    expect(findBuiltIn('backend', name)).toBeUndefined()
  })
})
