import type { Resource } from '@skein/client'

/** What the list of tokens shows. */
export interface TokenFacts {
  readonly name: string
  readonly generation: string
  readonly description: string
  readonly role: string
  readonly account: string
  readonly pools: readonly string[]
  /** Empty means never. */
  readonly expireTime: string
  readonly isRevoked: boolean
  readonly keyId: string
  readonly keyVersion: number
}

export function readToken({ name, generation, document }: Resource): TokenFacts {
  const text = (field: string): string => {
    const value = document[field]
    return typeof value === 'string' ? value : ''
  }
  const { pools, keyVersion } = document
  return {
    name,
    generation,
    description: text('description'),
    role: text('role'),
    account: text('account'),
    pools: Array.isArray(pools) ? pools.filter((pool) => typeof pool === 'string') : [],
    expireTime: text('expireTime'),
    isRevoked: document['revoked'] === true,
    keyId: text('keyId'),
    keyVersion: typeof keyVersion === 'number' ? keyVersion : 1,
  }
}

export type TokenState = 'works' | 'expired' | 'revoked'

export function tokenState({ isRevoked, expireTime }: TokenFacts, nowMs: number): TokenState {
  if (isRevoked) return 'revoked'
  return expireTime !== '' && Date.parse(expireTime) <= nowMs ? 'expired' : 'works'
}
