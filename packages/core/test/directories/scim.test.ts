import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseScimFilter, patchGroup, patchUser, readGroup, readUser, ScimError } from '../../src/index.ts'

const USER = {
  userName: 'ada',
  externalId: '1',
  active: true,
  displayName: '',
  givenName: '',
  familyName: '',
  email: '',
}
const GROUP = { displayName: 'Staff', externalId: '' }
const ID = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'

/** Either an answer or an error in the protocol's own terms. */
function answers(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof ScimError && error.status >= 400 && error.status < 500) return false
    throw error
  }
}

const operation = fc.record(
  {
    op: fc.constantFrom('add', 'Replace', 'remove', 'REMOVE', 'move'),
    path: fc.oneof(
      fc.constantFrom(
        'active',
        'members',
        'userName',
        'name',
        'emails',
        `members[value eq "${ID}"]`,
        'title',
      ),
      fc.string(),
    ),
    value: fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(true, 'False', ID, [{ value: ID }], { active: false }, null),
    ),
  },
  { requiredKeys: ['op'] },
)

describe('whatever is sent', () => {
  test('as a filter is parsed or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({
            unit: fc.constantFrom('userName', ' ', 'eq', '"', 'a', '\\', 'and', '(', ')', '[', ']'),
          }),
        ),
        (text) => {
          expect([true, false]).toContain(answers(() => parseScimFilter(text, ['userName'])))
        },
      ),
    )
  })

  test('as a user or group is read or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect([true, false]).toContain(answers(() => readUser(body)))
        expect([true, false]).toContain(answers(() => readGroup(body)))
      }),
    )
  })

  test('as a patch gives a whole user or group, or is refused', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
        answers(() => {
          const user = patchUser(USER, { Operations: operations })
          expect(Object.keys(user).toSorted()).toEqual(Object.keys(USER).toSorted())
          expect(typeof user.active).toBe('boolean')
          expect(user.userName).not.toBe('')
        })
        answers(() => {
          const { group, members } = patchGroup(GROUP, { Operations: operations })
          expect(group.displayName).not.toBe('')
          for (const id of members.added) expect(members.removed.has(id)).toBe(false)
        })
      }),
    )
  })
})

test('a filter takes no longer than its length', () => {
  const started = performance.now()
  for (const text of [
    '"'.repeat(1024),
    `userName eq "${'\\"'.repeat(500)}`,
    'a'.repeat(1024),
    ' '.repeat(1024),
  ]) {
    expect(answers(() => parseScimFilter(text, ['userName']))).toBe(false)
  }
  expect(performance.now() - started).toBeLessThan(100)
})

test('a filter reads what a quoted text means', () => {
  const filter = 'USERNAME eq "a\\"b\\u00e9" and externalId EQ "x and y"'
  expect(parseScimFilter(filter, ['userName', 'externalId'])).toEqual([
    { attribute: 'username', value: 'a"bé' },
    { attribute: 'externalid', value: 'x and y' },
  ])
})

const change = (...operations: object[]) => patchGroup(GROUP, { Operations: operations }).members

test('members are changed in the order of the operations', () => {
  const add = { op: 'add', path: 'members', value: [{ value: ID }] }
  const remove = { op: 'remove', path: `members[value eq "${ID}"]` }
  expect(change(add, remove)).toEqual({ isReplaced: false, removed: new Set([ID]), added: new Set() })
  expect(change(remove, add)).toEqual({ isReplaced: false, removed: new Set(), added: new Set([ID]) })
  expect(change(add, { op: 'remove', path: 'members' })).toEqual({
    isReplaced: true,
    removed: new Set(),
    added: new Set(),
  })
})
