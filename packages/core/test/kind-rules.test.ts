import {
  backend,
  codeHost,
  findKind,
  integration,
  KINDS,
  persona,
  secret,
  shareLink,
  token,
} from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { kindViolations } from '../src/catalog/kind-rules.ts'

const fieldsOf = (violations: readonly { field: string }[]) => violations.map(({ field }) => field)

const ofToken = (role: string, pools: string[]) =>
  kindViolations(token, { ...token.example, role, pools }, undefined)
const ofBackend = (models: string[], defaultModel: string) =>
  kindViolations(backend, { models, defaultModel }, undefined)

const ofCodeHost = (fields: object) =>
  fieldsOf(kindViolations(codeHost, { ...codeHost.example, ...fields }, undefined))

describe('the rules of a kind', () => {
  test('have nothing against the example of any kind, when it is new and when it is written again', () => {
    for (const kind of KINDS) {
      expect(kindViolations(kind, kind.example, undefined)).toEqual([])
      expect(kindViolations(kind, kind.example, kind.example)).toEqual([])
    }
  })

  test('a persona’s output schema has to be one, unless it is empty', () => {
    const problem = 'is not a JSON Schema'
    const bad = { outputSchema: '{"type":"thing"}' }
    expect(fieldsOf(kindViolations(persona, bad, undefined, problem))).toEqual(['outputSchema'])
    expect(fieldsOf(kindViolations(persona, bad, { outputSchema: '{}' }, problem))).toEqual(['outputSchema'])
    expect(kindViolations(persona, { outputSchema: '' }, undefined, problem)).toEqual([])
    expect(kindViolations(persona, { outputSchema: '{}' }, { outputSchema: '{}' }, problem)).toEqual([])
  })

  test.each([token, shareLink])('the revocation of a $kind is final', (kind) => {
    const revoked = { ...kind.example, revoked: true }
    expect(kindViolations(kind, revoked, kind.example)).toEqual([])
    expect(kindViolations(kind, revoked, revoked)).toEqual([])
    expect(fieldsOf(kindViolations(kind, kind.example, revoked))).toEqual(['revoked'])
    // Deleted and created again, it is a different one.
    expect(kindViolations(kind, kind.example, undefined)).toEqual([])
  })

  test.each([token, integration])('the key version of a $kind only grows', (kind) => {
    const at = (keyVersion: number) => ({ ...kind.example, keyVersion })
    expect(kindViolations(kind, at(3), at(3))).toEqual([])
    expect(kindViolations(kind, at(9), at(3))).toEqual([])
    expect(fieldsOf(kindViolations(kind, at(2), at(3)))).toEqual(['keyVersion'])
    expect(kindViolations(kind, at(5), undefined)).toEqual([])
  })

  test('only a runner’s token names pools', () => {
    expect(ofToken('runner', ['default'])).toEqual([])
    expect(ofToken('runner', [])).toEqual([])
    expect(ofToken('member', [])).toEqual([])
    expect(fieldsOf(ofToken('member', ['default']))).toEqual(['pools'])
  })

  test('everything wrong with a token is reported together', () => {
    const current = { ...token.example, revoked: true, keyVersion: 2 }
    const document = { ...token.example, role: 'admin', pools: ['default'] }
    expect(fieldsOf(kindViolations(token, document, current))).toEqual(['revoked', 'keyVersion', 'pools'])
  })

  test('a code host on GitHub has an App, and others have none', () => {
    expect(ofCodeHost({ appId: '' })).toEqual(['appId'])
    expect(ofCodeHost({ type: 'gitea' })).toEqual(['appId'])
    expect(ofCodeHost({ type: 'gitea', appId: '' })).toEqual([])
    expect(ofCodeHost({ type: 'gitlab' })).toEqual(['appId'])
    expect(ofCodeHost({ gitCredential: 'git' })).toEqual(['gitCredential'])
    expect(ofCodeHost({ type: 'gitlab', appId: '', gitCredential: 'git' })).toEqual([])
    expect(ofCodeHost({ url: 'https://me:secret@github.com', apiUrl: 'https://:x@api.github.com' })).toEqual([
      'url',
      'apiUrl',
    ])
  })

  test('a repository of a code host has no credential of its own', () => {
    const workspace = findKind('workspace')
    if (!workspace) throw new Error('There are workspaces')
    const at = (credential: string, host: string) =>
      fieldsOf(kindViolations(workspace, { repos: [{ url: 'u', credential, codeHost: host }] }, undefined))
    expect(at('password', '')).toEqual([])
    expect(at('', 'github')).toEqual([])
    expect(at('password', 'github')).toEqual(['repos[0].credential'])
  })

  test('a secret needs a value when it is created, and may leave it out later', () => {
    expect(fieldsOf(kindViolations(secret, { description: '' }, undefined))).toEqual(['value'])
    expect(kindViolations(secret, { description: '', value: 'v' }, undefined)).toEqual([])
    expect(kindViolations(secret, { description: '' }, { description: '' })).toEqual([])
  })

  test('a backend’s default model is one of its models', () => {
    expect(ofBackend(['gpt-*', 'o3'], 'o3')).toEqual([])
    expect(ofBackend(['gpt-*', 'o3'], 'gpt-5')).toEqual([])
    expect(fieldsOf(ofBackend(['gpt-*', 'o3'], 'o3-mini'))).toEqual(['defaultModel'])
  })
})
