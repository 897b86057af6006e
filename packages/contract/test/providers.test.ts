import { expect, test } from 'vitest'
import { PROVIDER_NAMES, providerName, providerNamed, PROVIDERS } from '../src/facts.ts'

test('every provider but the unspecified one is found by its name, in any notation', () => {
  for (const provider of PROVIDERS.slice(1)) {
    expect(providerNamed(providerName(provider))).toBe(provider)
    expect(providerNamed(providerName(provider).toUpperCase())).toBe(provider)
  }
  expect(PROVIDER_NAMES).toEqual(['codehost_oauth', 'codehost_app', 'idp_oidc', 'service_profile'])
})

test.each(['', 'unspecified', 'PROVIDER_IDP_OIDC', 'idp_oidc ', '__proto__'])(
  'no provider is named %j',
  (name) => {
    expect(providerNamed(name)).toBeUndefined()
  },
)
