import type { IdentityProviderDocument } from '@skein/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decidePerson, endsSessions, isIdentifier, vouchedGroups } from '../src/index.ts'

const provider = (fields: Partial<IdentityProviderDocument> = {}): IdentityProviderDocument => ({
  description: '',
  title: 'Acme',
  issuer: 'https://sso.example.com',
  codeHost: '',
  organizations: [],
  opensPullRequests: false,
  clientId: 'skein',
  clientSecret: 'secret',
  scopes: [],
  accountClaim: 'email',
  emailDomains: [],
  hostedDomains: [],
  roles: [],
  defaultRole: 'none',
  teams: [],
  sessionDuration: '43200s',
  paused: false,
  ...fields,
})

const ada = { sub: '1', email: 'Ada@Acme.example', email_verified: true, preferred_username: 'ada' }

const isAllowed = (fields: Partial<IdentityProviderDocument>, claims: object) =>
  decidePerson(provider({ defaultRole: 'viewer', accountClaim: 'sub', ...fields }), { sub: '1', ...claims })
    .type === 'allowed'

describe('a person', () => {
  test('without a role is refused, whatever the claims', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (claims) => {
        expect(decidePerson(provider(), claims).type).toBe('refused')
      }),
    )
  })

  test('is in the teams of its claims, with the role that allows most, in any order', () => {
    const teams = [
      { claim: 'groups', value: 'leads', team: 'payments', role: 'lead' as const },
      { claim: 'groups', value: 'payers', team: 'payments', role: 'viewer' as const },
      { claim: 'groups', value: 'payers', team: '__proto__', role: 'member' as const },
    ]
    const teamsOf = (groups: unknown, rules = teams) => {
      const decision = decidePerson(provider({ teams: rules, defaultRole: 'viewer' }), { ...ada, groups })
      return new Map(decision.type === 'allowed' ? Object.entries(decision.teams) : [['refused', '']])
    }
    const both = new Map([
      ['__proto__', 'member'],
      ['payments', 'lead'],
    ])
    expect(teamsOf(['payers', 'leads'])).toEqual(both)
    expect(teamsOf(['payers', 'leads'], teams.toReversed())).toEqual(both)
    expect(teamsOf('leads')).toEqual(new Map([['payments', 'lead']]))
    for (const none of [undefined, [], ['lead'], { leads: true }]) expect(teamsOf(none)).toEqual(new Map())
  })

  test('gets the role that allows most of those that apply', () => {
    const roles = [
      { claim: 'groups', value: 'devs', role: 'member' as const },
      { claim: 'realm_access.roles', value: 'boss', role: 'admin' as const },
      { claim: 'https://acme.example/team', value: 'x', role: 'viewer' as const },
    ]
    const roleOf = (claims: object) => {
      const decision = decidePerson(provider({ roles }), { ...ada, ...claims })
      return decision.type === 'allowed' ? decision.role : decision.type
    }
    expect(roleOf({ groups: ['devs', 'others'] })).toBe('member')
    expect(roleOf({ groups: 'devs' })).toBe('member')
    expect(roleOf({ groups: ['devs'], realm_access: { roles: ['boss'] } })).toBe('admin')
    expect(roleOf({ 'https://acme.example/team': 'x' })).toBe('viewer')
    expect(roleOf({ groups: 'devs,boss', realm_access: 'boss' })).toBe('refused')
    expect(roleOf({ groups: [['devs']] })).toBe('refused')
  })

  test('is named by the verified address, in lower case, or by the chosen claim', () => {
    const named = (fields: Partial<IdentityProviderDocument>, claims: object = ada) =>
      decidePerson(provider({ defaultRole: 'member', ...fields }), { ...claims })
    expect(named({})).toMatchObject({ account: 'ada@acme.example' })
    expect(named({ accountClaim: 'preferred_username' })).toMatchObject({ account: 'ada' })
    expect(named({ accountClaim: 'sub' })).toMatchObject({ account: '1' })
    expect(named({}, { ...ada, email_verified: false }).type).toBe('refused')
    expect(named({}, { ...ada, email: undefined }).type).toBe('refused')
    expect(named({ accountClaim: 'sub' }, { sub: 'a\nb' }).type).toBe('refused')
  })

  test('needs a verified address in the domain, or the hosted domain, if the provider says so', () => {
    const emailDomains = ['acme.example']
    expect(isAllowed({ emailDomains }, { email: 'a@ACME.example', email_verified: true })).toBe(true)
    expect(isAllowed({ emailDomains }, { email: 'a@acme.example' })).toBe(false)
    expect(isAllowed({ emailDomains }, { email: 'a@acme.example@evil.example', email_verified: true })).toBe(
      false,
    )
    expect(isAllowed({ emailDomains }, { email: 'a@sub.acme.example', email_verified: true })).toBe(false)
    expect(isAllowed({ emailDomains }, {})).toBe(false)
    const hostedDomains = ['acme.example']
    expect(isAllowed({ hostedDomains }, { hd: 'acme.example' })).toBe(true)
    expect(isAllowed({ hostedDomains }, { hd: 'evil.example' })).toBe(false)
    expect(isAllowed({ hostedDomains }, {})).toBe(false)
  })
})

test('sessions end when a change may have changed who people are or what they may do', () => {
  expect(endsSessions(undefined, provider())).toBe(false)
  expect(endsSessions(provider(), provider({ description: 'New', title: 'New', scopes: ['groups'] }))).toBe(
    false,
  )
  expect(endsSessions(provider(), provider({ paused: true }))).toBe(true)
  expect(endsSessions(provider(), provider({ defaultRole: 'viewer' }))).toBe(true)
})

test.each([
  ['sub-1', true],
  ['ünï 🪿', true],
  ['', false],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['a\u0000b', false],
  ['a\nb', false],
  ['a\ud83d', false],
  [7, false],
  [undefined, false],
])('%j is an identifier: %s', (value, isOne) => {
  expect(isIdentifier(value)).toBe(isOne)
})

test('an organization is the one that its name meant at first', () => {
  const claims = {
    groups: ['acme', 'acme:a', 'other', 'other:a'],
    organization_ids: { acme: '1', other: '2' },
  }
  const groupsFor = (pins: [string, string][], said: object = claims) => {
    const { claims: vouched, found } = vouchedGroups(['Acme'], { ...said }, new Map(pins))
    return [vouched['groups'], [...found]]
  }
  expect(groupsFor([])).toEqual([['acme', 'acme:a'], [['acme', '1']]])
  expect(groupsFor([['acme', '1']])).toEqual([['acme', 'acme:a'], []])
  expect(groupsFor([['acme', '9']])).toEqual([[], []])
  expect(groupsFor([], { groups: ['acme'], organization_ids: {} })).toEqual([[], []])
  expect(groupsFor([], { groups: [['acme']], organization_ids: { acme: 1 } })).toEqual([[], []])
})
