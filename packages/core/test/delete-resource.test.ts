import { persona, pool, token } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { decideDelete, type StoredResource } from '../src/index.ts'
import { callerAs } from './caller.ts'

const admin = callerAs('admin')
const stored: StoredResource = { generation: 3n, document: { description: 'x' } }
const command = (name: string, ifGenerationMatch?: bigint) => ({ kind: persona, name, ifGenerationMatch })
const refusal = (reason: string): unknown => expect.objectContaining({ reason })

const ofRole = (role: string) => ({ generation: 1n, document: { ...token.example, role } })

describe('a delete', () => {
  test('counts one generation on and keeps the last document for the history', () => {
    expect(decideDelete(command('mine'), stored, [], admin)).toEqual({
      document: stored.document,
      generation: 4n,
    })
  })

  test.each([
    ['was never written', undefined],
    ['was deleted before', { generation: 2n, document: undefined }],
  ])('of what %s finds nothing', (_what, found) => {
    expect(() => decideDelete(command('mine'), found, [], admin)).toThrow(refusal('RESOURCE_NOT_FOUND'))
    expect(() => decideDelete(command('mine', 0n), found, [], admin)).toThrow(refusal('RESOURCE_NOT_FOUND'))
  })

  test('goes ahead only at the generation that was asked for', () => {
    expect(decideDelete(command('mine', 3n), stored, [], admin).generation).toBe(4n)
    for (const other of [0n, 2n, 4n]) {
      expect(() => decideDelete(command('mine', other), stored, [], admin)).toThrow(
        expect.objectContaining({ reason: 'GENERATION_MISMATCH', metadata: { currentGeneration: '3' } }),
      )
    }
  })

  test('of what others refer to is refused, and names them', () => {
    const referrers = [
      { kind: 'workspace', name: 'shop' },
      { kind: 'token', name: 'ci' },
    ]
    expect(() => decideDelete({ ...command('mine'), kind: pool }, stored, referrers, admin)).toThrow(
      expect.objectContaining({
        reason: 'RESOURCE_REFERENCED',
        metadata: { referrers: 'workspace/shop,token/ci' },
      }),
    )
  })

  test('of a built-in is refused, of its shadow is not, even while it is referred to', () => {
    expect(() => decideDelete(command('default'), undefined, [], admin)).toThrow(
      refusal('BUILT_IN_NOT_DELETABLE'),
    )
    const gone = { generation: 2n, document: undefined }
    expect(() => decideDelete(command('default'), gone, [], admin)).toThrow(refusal('BUILT_IN_NOT_DELETABLE'))
    const referrers = [{ kind: 'workspace', name: 'shop' }]
    expect(decideDelete(command('default'), stored, referrers, admin).generation).toBe(4n)
  })

  test('of a token needs permission to grant its role', () => {
    const remove = { kind: token, name: 'x', ifGenerationMatch: undefined }
    expect(decideDelete(remove, ofRole('admin'), [], admin).generation).toBe(2n)
    for (const role of ['operator', 'run']) {
      expect(() => decideDelete(remove, ofRole(role), [], admin)).toThrow(refusal('ROLE_NOT_GRANTABLE'))
    }
    expect(decideDelete(remove, ofRole('operator'), [], callerAs('operator')).generation).toBe(2n)
  })
})
