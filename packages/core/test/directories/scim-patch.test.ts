import { expect, test } from 'vitest'
import { readPatch } from '../../src/directories/scim-patch.ts'
import { ScimError } from '../../src/directories/scim-error.ts'

function refusal(body: unknown): unknown {
  try {
    return readPatch(body)
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    return [error.status, error.scimType]
  }
}

const patch = (...operations: unknown[]) => ({ Operations: operations })

test('operations keep their order, and are written in lower case or capitalized', () => {
  expect(
    readPatch(
      patch(
        { op: 'Replace', path: 'active', value: false },
        { op: 'add', path: 'Members', value: [{ value: 'x' }] },
        { OP: 'REMOVE', Path: 'title' },
      ),
    ),
  ).toEqual([
    { op: 'replace', path: 'active', value: false },
    { op: 'add', path: 'members', value: [{ value: 'x' }] },
    { op: 'remove', path: 'title', value: undefined },
  ])
})

test('without a path, each field of the value is a change', () => {
  const expected = [
    { op: 'replace', path: 'active', value: true },
    { op: 'replace', path: 'username', value: 'ada' },
  ]
  const value = { active: true, userName: 'ada' }
  expect(readPatch(patch({ op: 'replace', value }))).toEqual(expected)
  expect(readPatch(patch({ op: 'replace', path: '', value }))).toEqual(expected)
})

test('a path loses the schema of the resource, and its filter keeps its case', () => {
  const paths = [
    'urn:ietf:params:scim:schemas:core:2.0:User:userName',
    'URN:ietf:params:scim:schemas:core:2.0:group:displayName',
    'Emails[Type eq "Work"].Value',
    'members[value eq "A-1"]',
  ]
  expect(readPatch(patch(...paths.map((path) => ({ op: 'remove', path })))).map(({ path }) => path)).toEqual([
    'username',
    'displayname',
    'emails[Type eq "Work"].Value',
    'members[value eq "A-1"]',
  ])
})

test.each([
  ['no operations', {}, 'invalidSyntax'],
  ['operations that are no list', { Operations: { length: 1 } }, 'invalidSyntax'],
  ['an empty list', patch(), 'invalidSyntax'],
  ['an operation that is no object', patch('add'), 'invalidSyntax'],
  ['an unknown operation', patch({ op: 'move', path: 'active' }), 'invalidSyntax'],
  ['an operation that is no text', patch({ op: 1, path: 'active' }), 'invalidSyntax'],
  ['no operation', patch({ path: 'active' }), 'invalidSyntax'],
  ['nothing to remove', patch({ op: 'remove' }), 'noTarget'],
  ['a value without a path', patch({ op: 'add', value: 'x' }), 'invalidValue'],
  ['a path that is no text', patch({ op: 'add', path: 1, value: 'x' }), 'invalidPath'],
  ['a path with a space', patch({ op: 'add', path: 'a b', value: 'x' }), 'invalidPath'],
  ['a path that begins with a digit', patch({ op: 'add', path: '1a', value: 'x' }), 'invalidPath'],
  ['a filter that does not end', patch({ op: 'add', path: 'members[value', value: 'x' }), 'invalidPath'],
  ['an empty filter', patch({ op: 'add', path: 'members[]', value: 'x' }), 'invalidPath'],
  ['a field with such a name', patch({ op: 'add', value: { 'a b': 1 } }), 'invalidPath'],
])('is refused: %s', (_what, body, scimType) => {
  expect(refusal(body)).toEqual([400, scimType])
})

test('500 operations and paths of 512 characters are accepted, and no more', () => {
  const operation = { op: 'add', path: 'a'.repeat(512), value: 1 }
  expect(readPatch(patch(...Array.from({ length: 500 }, () => operation)))).toHaveLength(500)
  expect(refusal(patch(...Array.from({ length: 501 }, () => operation)))).toEqual([400, 'tooMany'])
  expect(refusal(patch({ ...operation, path: 'a'.repeat(513) }))).toEqual([400, 'invalidPath'])
})
