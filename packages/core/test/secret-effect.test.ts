import { integration, KINDS, persona, secret, shareLink, token, trigger } from '@skein/contract'
import { KEY_PREFIXES } from '@skein/contract/facts'
import { describe, expect, test } from 'vitest'
import { decideSecretEffect } from '../src/catalog/secret-effect.ts'

const NOW = Date.UTC(2026, 10, 15)
const at = (keyVersion: number, fields: object = {}) => ({ ...token.example, keyVersion, ...fields })
const grant = {
  keyVersion: 1,
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ci',
  role: 'member',
  pools: [],
  allTenants: false,
  expiresAt: Date.UTC(2027, 10, 15),
  revoked: false,
}

describe('a token', () => {
  test('gets a key when it is created', () => {
    expect(decideSecretEffect(token, at(1), undefined, NOW)).toEqual({
      type: 'mint-key',
      prefix: KEY_PREFIXES.apiKey,
      grant,
      previousExpireAt: NOW,
    })
  })

  test('gets a new key when its version grows, and the old one stops working immediately', () => {
    expect(decideSecretEffect(token, at(2), at(1), NOW)).toMatchObject({
      type: 'mint-key',
      grant: { keyVersion: 2 },
      previousExpireAt: NOW,
    })
  })

  test('keeps the old key for as long as the overlap of its rotation', () => {
    const effect = decideSecretEffect(token, at(2, { overlap: '90.5s' }), at(1), NOW)
    expect(effect).toMatchObject({ type: 'mint-key', previousExpireAt: NOW + 90_500 })
  })

  test('changes what its keys stand for when anything else is written', () => {
    const changed = at(1, { role: 'runner', pools: ['large'], account: 'bot' })
    expect(decideSecretEffect(token, changed, at(1), NOW)).toEqual({
      type: 'update-keys',
      grant: { ...grant, role: 'runner', pools: ['large'], account: 'bot' },
    })
  })

  test('whose end was taken away does not expire', () => {
    const { expireTime: _end, ...forever } = at(1)
    expect(decideSecretEffect(token, forever, at(1), NOW)).toMatchObject({
      type: 'update-keys',
      grant: { expiresAt: undefined },
    })
  })

  test('that is revoked takes its keys with it, without a new one', () => {
    expect(decideSecretEffect(token, at(1, { revoked: true }), at(1), NOW)).toEqual({
      type: 'update-keys',
      grant: { ...grant, revoked: true },
    })
  })

  test('that is revoked while it is rotated gets a key that is revoked from the start', () => {
    const effect = decideSecretEffect(token, at(2, { revoked: true }), at(1), NOW)
    expect(effect).toMatchObject({ type: 'mint-key', grant: { revoked: true } })
  })

  test('that was deleted and is created again gets a key of its own, whatever its version', () => {
    for (const version of [1, 5]) {
      expect(decideSecretEffect(token, at(version), undefined, NOW).type).toBe('mint-key')
    }
  })
})

describe('a share link', () => {
  const link = shareLink.example

  test('gets a key of its own sort when it is created, for guests, whatever it says of a role', () => {
    expect(decideSecretEffect(shareLink, { ...link, role: 'admin' }, undefined, NOW)).toMatchObject({
      type: 'mint-key',
      prefix: KEY_PREFIXES.shareLink,
      grant: { role: 'guest', pools: [], expiresAt: undefined, revoked: false },
    })
  })

  test('is changed and revoked without a new key', () => {
    const effect = decideSecretEffect(shareLink, { ...link, revoked: true }, link, NOW)
    expect(effect).toMatchObject({ type: 'update-keys', grant: { revoked: true } })
  })
})

describe('a secret', () => {
  test('is sealed when it comes with a value, and kept when it does not', () => {
    const value = { type: 'seal-value', value: 'v' }
    expect(decideSecretEffect(secret, { description: '', value: 'v' }, undefined, NOW)).toEqual(value)
    expect(decideSecretEffect(secret, { description: '', value: 'v' }, { description: '' }, NOW)).toEqual(
      value,
    )
    expect(decideSecretEffect(secret, { description: 'new' }, { description: '' }, NOW)).toEqual({
      type: 'none',
    })
  })
})

const hookAt = (keyVersion: number) => ({ ...integration.example, keyVersion })

describe('an integration', () => {
  test('gets a signing key when it is created and when its version grows, and only then', () => {
    expect(decideSecretEffect(integration, hookAt(1), undefined, NOW)).toEqual({ type: 'mint-signing-key' })
    expect(decideSecretEffect(integration, hookAt(2), hookAt(1), NOW)).toEqual({ type: 'mint-signing-key' })
    expect(decideSecretEffect(integration, hookAt(2), hookAt(2), NOW)).toEqual({ type: 'none' })
  })
})

const triggerWith = (keyVersion: number, theirs = '') => ({ verification: { secret: theirs }, keyVersion })

describe('a trigger', () => {
  test('gets a key when it is created, when its version grows, and when it no longer has a secret', () => {
    const minted = { type: 'mint-signing-key' }
    expect(decideSecretEffect(trigger, triggerWith(1), undefined, NOW)).toEqual(minted)
    expect(decideSecretEffect(trigger, triggerWith(2), triggerWith(1), NOW)).toEqual(minted)
    expect(decideSecretEffect(trigger, triggerWith(1), triggerWith(1, 'theirs'), NOW)).toEqual(minted)
    expect(decideSecretEffect(trigger, triggerWith(1), triggerWith(1), NOW)).toEqual({ type: 'none' })
  })

  test('with a secret gets none', () => {
    expect(decideSecretEffect(trigger, triggerWith(1, 'theirs'), undefined, NOW)).toEqual({ type: 'none' })
    expect(decideSecretEffect(trigger, triggerWith(2, 'theirs'), triggerWith(1), NOW)).toEqual({
      type: 'none',
    })
  })
})

test('no other kind has a secret behind it', () => {
  const withSecrets = new Set([
    'directory',
    'token',
    'share-link',
    'workload-identity',
    'secret',
    'integration',
    'trigger',
  ])
  for (const kind of KINDS.filter((other) => !withSecrets.has(other.kind))) {
    expect(decideSecretEffect(kind, kind.example, undefined, NOW)).toEqual({ type: 'none' })
  }
  expect(decideSecretEffect(persona, { value: 'v', keyVersion: 9 }, {}, NOW)).toEqual({ type: 'none' })
})
