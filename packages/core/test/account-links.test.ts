import { expect, test } from 'vitest'
import { decideLink } from '../src/people/account-links.ts'

const account = (identityProvider: string, name: string, linkId?: string) => ({
  identityProvider,
  ownerProvider: identityProvider === 'sso' ? 'PROVIDER_IDP_OIDC' : 'PROVIDER_CODEHOST_OAUTH',
  account: name,
  linkId,
})

test('an account of another provider that nobody has linked can be linked', () => {
  const [own, other] = [account('sso', 'ada'), account('github', 'ada')]
  expect(decideLink(own, other, [])).toEqual({ type: 'linked' })
})

test('linking again changes nothing', () => {
  const [own, other] = [account('sso', 'ada', 'a'), account('github', 'ada', 'a')]
  expect(decideLink(own, other, [own, other])).toEqual({ type: 'unchanged' })
})

test.each([
  ['itself', account('sso', 'ada'), [], 'signed in with'],
  ['an account of the same provider', account('sso', 'bob'), [], 'Your account ada'],
  [
    'a second one of a linked provider',
    account('github', 'bob'),
    [account('github', 'ada', 'a')],
    'Only one',
  ],
  ['one that is linked to somebody else', account('github', 'bob', 'b'), [], 'linked to another account'],
  [
    'more than ten',
    account('eleventh', 'bob'),
    Array.from({ length: 10 }, (_none, index) => account(`p${index}`, 'ada', 'a')),
    'At most 10',
  ],
])('an account cannot be linked to %s', (_what, other, members, because) => {
  const own = account('sso', 'ada', members.length > 0 ? 'a' : undefined)
  const decision = decideLink(own, other, members)
  expect(decision).toMatchObject({ type: 'refused' })
  expect(JSON.stringify(decision)).toContain(because)
})
