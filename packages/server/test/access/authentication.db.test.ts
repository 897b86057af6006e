import { formatKey, formatKeyId, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import { startTestServer, TestClock, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'

const HOUR_MS = 3_600_000
const clock = new TestClock(Date.UTC(2026, 10, 15))
let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const whoami = (key: string) => tenant.client(key).get('/v1/whoami')

async function newKey(name: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { document } = await tenant.admin.write('token', name, { account: 'bob', role: 'viewer', ...fields })
  return String(document['key'])
}

const bytes = (length: number, fill = 7) => new Uint8Array(length).fill(fill)
const unknownKey = formatKey(KEY_PREFIXES.apiKey, formatKeyId('c1', bytes(16)), bytes(32))

describe('a request without a key', () => {
  test('is told to send one, and how', async () => {
    const answer = await server.anonymous.get('/v1/whoami')
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_MISSING', body: { code: 16 } })
    expect(answer.headers['www-authenticate']).toContain('Bearer')
  })
})

describe('a key that is not valid', () => {
  const malformed = [
    ['another scheme', `Basic ${unknownKey}`],
    ['no scheme', unknownKey],
    ['two keys', `Bearer ${unknownKey} ${unknownKey}`],
    ['nothing behind the scheme', 'Bearer '],
    ['an empty header', ''],
    ['a key of another service', 'Bearer sk-abcdefghijklmnopqrstuvwxyz'],
    ['a mistyped key', `Bearer ${unknownKey.slice(0, -1)}!`],
  ]
  test.each(malformed)('is refused: %s', async (_case, authorization) => {
    const answer = await server.anonymous.get('/v1/whoami', { headers: { authorization } })
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    expect(answer.headers['www-authenticate']).toContain('Bearer')
  })

  test('is refused alike for an unknown key id and for a wrong secret', async () => {
    const key = await newKey('wrong-secret')
    const keyId = parseKey(key)?.keyId ?? ''
    const wrongSecret = await whoami(formatKey(KEY_PREFIXES.apiKey, keyId, bytes(32)))
    const unknownId = await whoami(unknownKey)
    expect(wrongSecret).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    expectSameAnswer(wrongSecret, unknownId)
    expect((await whoami(key)).status).toBe(200)
  })

  test('is refused from the very millisecond that it expires', async () => {
    const expireTime = new Date(clock.now() + HOUR_MS).toISOString()
    const key = await newKey('expiring', { expireTime })
    clock.advance(HOUR_MS - 1)
    expect((await whoami(key)).status).toBe(200)
    clock.advance(1)
    expect(await whoami(key)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('is refused after it was revoked', async () => {
    const key = await newKey('revoked')
    await tenant.admin.write('token', 'revoked', { revoked: true }, { updateMask: 'revoked' })
    expect(await whoami(key)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('is refused within 5 seconds by a server that has just accepted it', async () => {
    const key = await newKey('remembered')
    expect((await whoami(key)).status).toBe(200)
    await tenant.admin.write('token', 'remembered', { revoked: true }, { updateMask: 'revoked' })
    await waitFor(async () => (await whoami(key)).status === 401, { what: 'the refusal', timeoutMs: 5_000 })
  })

  test('is rejected when its token was deleted, even once a token with the same name exists again', async () => {
    const key = await newKey('deleted')
    await tenant.admin.delete('/v1/catalog/token/deleted')
    expect(await whoami(key)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    const successor = await newKey('deleted')
    expect((await whoami(key)).status).toBe(401)
    expect((await whoami(successor)).status).toBe(200)
  })

  test('does not get its body read', async () => {
    const answer = await server.anonymous.post('/v1/catalog/persona/p', '{ not json')
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_MISSING' })
  })
})
