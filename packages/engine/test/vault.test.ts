import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Vault } from '../src/index.ts'

const key = randomBytes(32)
const place = 'tenant/secret/npm'
const vault = new Vault([key])

describe('the vault', () => {
  test.each(['', 'correct horse', 'zażółć 🐎', 'x'.repeat(65_536)])(
    'opens what it sealed: %.20s',
    (value) => {
      expect(vault.open(vault.seal(value, place), place)).toBe(value)
    },
  )

  test('seals the same value differently each time, so that equal values cannot be seen', () => {
    expect(vault.seal('same', place)).not.toBe(vault.seal('same', place))
  })

  test('shows nothing of the value', () => {
    const sealed = vault.seal('correct horse', place)
    expect(Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url').toString()).not.toContain('horse')
    expect(sealed).not.toContain('horse')
  })

  test('refuses a value that was moved to another place', () => {
    const sealed = vault.seal('theirs', 'tenant-b/secret/npm')
    expect(() => vault.open(sealed, 'tenant-a/secret/npm')).toThrow(/authenticate/)
    expect(() => vault.open(sealed, 'tenant-b/secret/other')).toThrow(/authenticate/)
  })

  test('refuses a value that was tampered with in any part', () => {
    const sealed = vault.seal('value', place)
    const parts = sealed.split('.')
    for (const index of parts.keys()) {
      const forged = parts.with(index, flipFirst(parts[index] ?? '')).join('.')
      expect(() => vault.open(forged, place)).toThrow(/authenticate|known form|No master key/)
    }
    expect(() => vault.open(sealed.slice(0, -6), place)).toThrow(/authenticate|known/)
  })

  test.each(['', 'v1', 'v1.a.b', 'plain text', 'v2.a.b.c'])('refuses what it never sealed: %j', (text) => {
    expect(() => vault.open(text, place)).toThrow(/known form/)
  })

  test('refuses a tag that was cut short, which would be easier to guess', () => {
    const [version, keyId, iv] = vault.seal('', place).split('.')
    const cut = [version, keyId, iv, randomBytes(4).toString('base64url')].join('.')
    expect(() => vault.open(cut, place)).toThrow(/tag length/)
  })
})

describe('a rotation of master keys', () => {
  const next = randomBytes(32)

  test('seals under the first key and opens under all', () => {
    const rotated = new Vault([next, key])
    expect(rotated.open(vault.seal('old', place), place)).toBe('old')
    expect(() => vault.open(rotated.seal('new', place), place)).toThrow(/No master key/)
  })

  test('that drops a key too early says so', () => {
    expect(() => new Vault([next]).open(vault.seal('old', place), place)).toThrow(/before its values were/)
  })

  test('needs keys of 32 bytes', () => {
    expect(() => new Vault([])).toThrow(TypeError)
    expect(() => new Vault([key, randomBytes(16)])).toThrow(TypeError)
  })
})

function flipFirst(text: string): string {
  return `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
}
