import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { specified, type Provider } from '../src/index.ts'
import { PROVIDERS } from '../src/facts.ts'

describe('specified', () => {
  it('reads an unspecified value as absent', () => {
    expect(specified('PROVIDER_UNSPECIFIED')).toBeUndefined()
    expect(specified('TASK_STATUS_UNSPECIFIED')).toBeUndefined()
    expect(specified(undefined)).toBeUndefined()
  })

  it('leaves every other value as it is', () => {
    const others = fc.string().filter((value) => !value.endsWith('_UNSPECIFIED'))
    fc.assert(
      fc.property(others, (value) => {
        expect(specified(value)).toBe(value)
      }),
    )
    expect(PROVIDERS.map(specified).filter((value) => value !== undefined)).toEqual(PROVIDERS.slice(1))
  })

  it('tells the type checker that the unspecified value is gone', () => {
    const provider: Provider = 'PROVIDER_IDP_OIDC'
    expectTypeOf(specified<Provider>(provider)).toEqualTypeOf<
      Exclude<Provider, 'PROVIDER_UNSPECIFIED'> | undefined
    >()
  })
})
