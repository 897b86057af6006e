import { findKind, KINDS, type Kind } from '@skein/contract'
import { REFERENCE } from '@skein/contract/facts'
import { describe, expect, test } from 'vitest'
import { findReferences } from '../src/index.ts'
import { missingReferences } from '../src/catalog/references.ts'

function kindNamed(name: string): Kind {
  const kind = findKind(name)
  if (!kind) throw new Error(`There is no kind ${name}`)
  return kind
}

describe('references', () => {
  test('are found in fields, and an empty field refers to nothing', () => {
    const document = { environment: 'node', persona: '', pool: 'large' }
    expect(findReferences(kindNamed('workspace'), document)).toEqual([
      { kind: 'environment', name: 'node', field: 'environment' },
      { kind: 'pool', name: 'large', field: 'pool' },
    ])
  })

  test('are found in lists, each with its place', () => {
    expect(findReferences(kindNamed('token'), { pools: ['a', 'b'] })).toEqual([
      { kind: 'pool', name: 'a', field: 'pools[0]' },
      { kind: 'pool', name: 'b', field: 'pools[1]' },
    ])
  })

  test('are found in maps, under keys that every object inherits too', () => {
    const secrets = { NPM_TOKEN: 'npm', constructor: 'odd' }
    expect(findReferences(kindNamed('environment'), { secrets })).toEqual([
      { kind: 'secret', name: 'npm', field: 'secrets.NPM_TOKEN' },
      { kind: 'secret', name: 'odd', field: 'secrets.constructor' },
    ])
  })

  test('are found at any depth that a schema describes', () => {
    const target = { type: 'string', [REFERENCE]: 'pool' }
    const map = { type: 'object', patternProperties: { '.*': { type: 'array', items: target } } }
    const list = { type: 'array', items: { type: 'object', properties: { by: map } } }
    const nested = { ...kindNamed('quota'), schema: { ...kindNamed('quota').schema, properties: { list } } }
    expect(findReferences(nested, { list: [{}, { by: { k: ['a', 'b'] } }] })).toEqual([
      { kind: 'pool', name: 'a', field: 'list[1].by.k[0]' },
      { kind: 'pool', name: 'b', field: 'list[1].by.k[1]' },
    ])
  })

  test.each(['token', 'share-link'])(
    'an owner of a %s that is a service profile is the name of one',
    (kind) => {
      const owner = { account: 'night-shift', ownerProvider: 'PROVIDER_SERVICE_PROFILE' }
      const expected = { kind: 'profile', name: 'night-shift', field: 'account' }
      expect(findReferences(kindNamed(kind), owner)).toEqual([expected])
      expect(findReferences(kindNamed(kind), { ...owner, ownerProvider: 'PROVIDER_IDP_OIDC' })).toEqual([])
    },
  )

  test('point only at kinds that exist', () => {
    for (const { to } of edges()) expect(findKind(to)).toBeDefined()
  })

  test('between kinds have no cycle, so everything can be created and deleted in some order', () => {
    const sorted: string[] = []
    let open = KINDS.map(({ kind }) => kind)
    while (open.length > 0) {
      const free = open.filter((kind) =>
        edges().every(({ from, to }) => from !== kind || sorted.includes(to)),
      )
      expect(free, `a cycle among ${open.join(', ')}`).not.toEqual([])
      sorted.push(...free)
      open = open.filter((kind) => !free.includes(kind))
    }
    expect(sorted.indexOf('vm-profile')).toBeLessThan(sorted.indexOf('workspace'))
  })

  test('that do not exist are each reported with their field', () => {
    const references = findReferences(kindNamed('token'), { pools: ['here', 'gone'] })
    expect(missingReferences(references, ({ name }) => name === 'here')).toEqual([
      { field: 'pools[1]', description: 'pool gone not found' },
    ])
  })
})

function edges(): { from: string; to: string }[] {
  return KINDS.flatMap(({ kind, schema }) => [
    ...targetsIn(schema).map((to) => ({ from: kind, to })),
    ...('account' in schema.properties ? [{ from: kind, to: 'profile' }] : []),
  ])
}

function targetsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = REFERENCE in schema ? [String(schema[REFERENCE])] : []
  return [...own, ...Object.values(schema).flatMap(targetsIn)]
}
