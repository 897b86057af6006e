import type { Operation } from '@skein/contract'
import type { Random } from '@skein/testkit'

// prettier-ignore
const VALUES = [
  '', '0', '-1', '1', '1.5', '1001', '99999999999999999999', '1e3', 'true', 'x', '%00', 'a%00b', '%', '%zz', '%c3%28',
  '%ed%a0%80', '%F0%9F%92%A5', '+', '%2B', 'PROVIDER_CODEHOST_APP', 'PROVIDER_UNSPECIFIED', 'PROVIDER_BOGUS', 'acme',
  'other', 'persona', '2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-13-01T00:00:00Z',
  '9223372036854775807', '9223372036854775808', 'x'.repeat(256), 'x'.repeat(5_000), '[]', '{}', "'%3B--", '%0A',
]

// prettier-ignore
const NAMES = [
  '__proto__', 'constructor', '__proto__[polluted]', 'constructor[prototype][polluted]', 'toString', '', 'ref', 'ref.tenant',
  'pageSize', 'pageToken', 'ifGenerationMatch', 'payload', 'a[]', 'a[b]', '%5F%5Fproto__', '%00',
]

export function hostileQuery(random: Random, operation: Operation): string {
  const known = Object.keys(operation.query?.properties ?? {})
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name = known.length > 0 && random.chance(0.8) ? random.pick(known) : random.pick(NAMES)
    return `${name}=${name === 'pageToken' && random.chance(0.8) ? pageToken(random) : random.pick(VALUES)}`
  })
  if (random.chance(0.1)) pairs.push(random.pick(pairs))
  if (random.chance(0.01)) pairs.push('a=1'.repeat(2_000))
  return `?${pairs.join(random.chance(0.97) ? '&' : random.pick([';', '&&', '?', '=']))}`
}

const LISTS = [
  'audit',
  'resources/persona',
  'resources/token',
  'history/persona/f0',
  'history/pool/default',
  '',
  'x',
]

// prettier-ignore
const CURSORS: readonly (readonly unknown[])[] = [
  [], ['f0'], ['0'], ['999999999999999999'], ['9223372036854775807'], [null], [{ toString: 1 }], [[[]]], [-1],
  ['0', '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'], ['999999999999999', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'], ['8640000000000001', '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'],
  ['a'.repeat(700)], ['f0', 'f1'], ['f0\n'],
]

/** Tokens as the service would create them, for other lists and other ends, and some it would never create. */
function pageToken(random: Random): string {
  const token = Buffer.from(JSON.stringify([random.pick(LISTS), ...random.pick(CURSORS)])).toString(
    'base64url',
  )
  return random.weighted([
    [6, token],
    [1, token.slice(random.below(6))],
    [1, random.bytes(20).toString('base64url')],
    [1, Buffer.from('['.repeat(700)).toString('base64url')],
    [1, Buffer.from('{"length":3,"0":"audit"}').toString('base64url')],
  ])
}
