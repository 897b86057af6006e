import { SignJWT, type JWTPayload } from 'jose'
import { Client } from 'pg'
import { startTestServer, type TestClient, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { HostileIssuer, unsigned } from './hostile-issuer.ts'
import { ProviderWorld } from './provider-world.ts'

const AUDIENCE = 'https://skein.example.com'
const INVALID = { status: 401, reason: 'WORKLOAD_TOKEN_INVALID' }

let world: ProviderWorld
let issuer: HostileIssuer
let other: TestTenant

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  issuer = await HostileIssuer.start()
  other = await world.server.createTenant('other')
  must(await world.tenant.admin.write('workload-identity', 'release', document()))
})

afterAll(async () => {
  await issuer.close()
  await world.close()
})

beforeEach(() => issuer.reset())

const document = (fields: object = {}) => ({
  issuer: issuer.issuer,
  audience: AUDIENCE,
  conditions: [
    { claim: 'repository', value: 'acme/shop' },
    { claim: 'ref', value: 'refs/heads/main' },
  ],
  account: 'release-job',
  role: 'member',
  ...fields,
})

const claims = (fields: JWTPayload = {}): JWTPayload => {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer.issuer,
    aud: AUDIENCE,
    sub: 'repo:acme/shop:ref:refs/heads/main',
    repository: 'acme/shop',
    ref: 'refs/heads/main',
    iat: now,
    exp: now + 300,
    ...fields,
  }
}

function exchange(token: string, path = 'codehost_app:acme/release', form: Record<string, string> = {}) {
  return world.server.anonymous.post(
    `/v1/token/${path}`,
    new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: token,
      ...form,
    }).toString(),
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  )
}

async function clientFor(path?: string): Promise<TestClient> {
  const { body } = must(await exchange(await issuer.sign(claims()), path))
  return world.tenant.client(String(body['access_token']))
}

test('whoever writes one gets no key of it', async () => {
  const written = must(await world.tenant.admin.write('workload-identity', 'keyless', document()))
  const read = must(await world.tenant.admin.read('workload-identity', 'keyless'))
  expect(JSON.stringify([written, read])).not.toMatch(/sk[a-z]_/)
})

describe('a token of the platform', () => {
  test('is refused for a while if the tenant moves to another cell, and only with a valid one that is said', async () => {
    const client = new Client({ connectionString: world.server.database.ownerUrl })
    await client.connect()
    const setStep = (step: string | null) =>
      client.query(`update tenant set move_step = $2, move_cell = 'c2' where id = $1`, [
        world.tenant.id,
        step,
      ])
    for (const [step, reason] of [
      ['leaving', 'TENANT_MOVING'],
      ['frozen', 'TENANT_MOVING'],
      ['moved', 'TENANT_MOVED'],
    ]) {
      await setStep(step ?? '')
      expect(await exchange(await issuer.sign(claims()))).toMatchObject({ status: 503, reason })
      expect(await exchange(unsigned(claims()))).toMatchObject(INVALID)
    }
    await setStep(null)
    await client.end()
    must(await exchange(await issuer.sign(claims())))
  })

  test('is exchanged for a key of 15 minutes, with the account and role of the document, and recorded', async () => {
    const { body, headers } = must(await exchange(await issuer.sign(claims())))
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toEqual({
      access_token: expect.stringMatching(/^skw_/) as string,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
    })
    const client = world.tenant.client(String(body['access_token']))
    const who = must(await client.get('/v1/whoami')).body
    expect(who).toMatchObject({ account: 'release-job', role: 'member', token: 'workload-identity/release' })
    expect(Date.parse(String(who['expireTime'])) - Date.now()).toBeLessThanOrEqual(900_000)
    expect((await client.write('persona', 'p', {})).status).toBe(403)
    await expect
      .poll(async () => (await world.tenant.admin.get('/v1/audit?operation=exchangeToken')).text)
      .toContain('repo:acme/shop:ref:refs/heads/main')
  })

  test.each<[string, () => Promise<string> | string]>([
    ['of another issuer', () => issuer.sign(claims({ iss: 'https://token.example.com' }))],
    ['for another audience', () => issuer.sign(claims({ aud: 'https://other.example.com' }))],
    ['for no audience', () => issuer.sign({ ...claims(), aud: [] })],
    ['that expired', () => issuer.sign(claims({ exp: Math.floor(Date.now() / 1000) - 31 }))],
    ['without an end', () => issuer.sign(withoutClaim('exp'))],
    ['of the future', () => issuer.sign(claims({ nbf: Math.floor(Date.now() / 1000) + 600 }))],
    ['without a subject', () => issuer.sign(withoutClaim('sub'))],
    ['with a number as subject', () => issuer.sign(Object.assign(claims(), { sub: 7 }))],
    ['with a list as subject', () => issuer.sign(Object.assign(claims(), { sub: ['repo:acme/shop'] }))],
    ['without a signature', () => unsigned(claims())],
    ['signed with a shared secret', () => signShared()],
    ['with the signature of another', async () => (await issuer.sign(claims())).replace(/.{8}$/, 'AAAAAAAA')],
    ['of endless length', () => issuer.sign(claims({ padding: 'x'.repeat(20_000) }))],
    ['that is no token', () => 'no.token.atall'],
    ['that is missing', () => ''],
  ])('%s is refused', async (_what, make) => {
    expect(await exchange(await make())).toMatchObject(INVALID)
  })

  test.each([
    ['another repository', { repository: 'evil/shop' }],
    ['a repository that begins the same', { repository: 'acme/shop-2' }],
    ['another branch', { ref: 'refs/heads/pull' }],
    ['no branch', { ref: undefined }],
    ['a list without it', { repository: ['evil/a', 'evil/b'] }],
  ])('that says %s does not meet the conditions', async (_what, fields) => {
    const answer = await exchange(await issuer.sign(claims(fields)))
    expect(answer).toMatchObject({ status: 403, reason: 'WORKLOAD_REFUSED' })
  })

  test('is nobody’s in another tenant, and an unknown tenant or name gets the same answer', async () => {
    must(
      await other.admin.write(
        'workload-identity',
        'release',
        document({ audience: 'https://other.example.com' }),
      ),
    )
    const token = await issuer.sign(claims())
    const answers = [
      await exchange(token, 'codehost_app:other/release'),
      await exchange(token, 'codehost_app:nobody/release'),
      await exchange(token, 'codehost_app:acme/nobody'),
      await exchange(token, '%00/release'),
      await exchange(token, 'codehost_app:acme/%00'),
      await exchange(token, 'codehost_app:acme/Release'),
    ]
    for (const answer of answers) expect(answer).toMatchObject(INVALID)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('of a stranger makes us ask nobody', async () => {
    await exchange(unsigned(claims({ iss: 'https://token.example.com' })))
    expect(issuer.requests).toEqual([])
  })

  test('needs a form as RFC 8693 has it', async () => {
    const answer = await exchange(await issuer.sign(claims()), undefined, {
      grant_type: 'client_credentials',
    })
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
  })

  test('with a key that was rotated in a moment ago is accepted', async () => {
    await issuer.rotate('second')
    expect((await exchange(await issuer.sign(claims()))).status).toBe(200)
  })

  test('with a key that the platform never had makes us ask only so often', async () => {
    const fresh = await HostileIssuer.start()
    must(await world.tenant.admin.write('workload-identity', 'flooded', document({ issuer: fresh.issuer })))
    const path = 'codehost_app:acme/flooded'
    const forged = (kid: string) => issuer.sign(claims({ iss: fresh.issuer }), { kid })
    for (let count = 0; count < 20; count++) {
      expect(await exchange(await forged(`forged-${count}`), path)).toMatchObject(INVALID)
    }
    expect(fresh.requests.filter((asked) => asked === '/jwks').length).toBeLessThanOrEqual(6)
    expect((await exchange(await fresh.sign(claims({ iss: fresh.issuer })), path)).status).toBe(200)
    await fresh.close()
  })

  test('is refused as unavailable while the platform is down', async () => {
    must(
      await world.tenant.admin.write('workload-identity', 'down', document({ issuer: 'http://127.0.0.1:1' })),
    )
    const token = await issuer.sign(claims({ iss: 'http://127.0.0.1:1' }))
    expect(await exchange(token, 'codehost_app:acme/down')).toMatchObject({
      status: 503,
      reason: 'IDENTITY_PROVIDER_UNAVAILABLE',
    })
  })

  test('is tried only so often from one address', async () => {
    const strict = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '30' })
    const reasons = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const body =
        'grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token_type=urn:ietf:params:oauth:token-type:jwt'
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await strict.server.anonymous.post('/v1/token/codehost_app:acme/x', body, { headers })
      reasons.push(answer.reason)
    }
    expect(reasons[0]).toBe('WORKLOAD_TOKEN_INVALID')
    expect(reasons.at(-1)).toBe('RATE_LIMITED')
    await strict.close()
  })
})

describe('the key', () => {
  test('is refused after 15 minutes', async () => {
    const { key = '' } = await clientFor()
    const late = await startTestServer({
      database: world.server.database,
      clock: { now: () => Date.now() + 900_001 },
    })
    const headers = { authorization: `Bearer ${key}` }
    expect(await late.anonymous.get('/v1/whoami', { headers })).toMatchObject({ status: 401 })
    await late.close()
  })

  test('ends with its document, and changes its role with it; one written again accepts no older key', async () => {
    must(await world.tenant.admin.write('workload-identity', 'short', document()))
    const client = await clientFor('codehost_app:acme/short')
    must(await world.tenant.admin.write('workload-identity', 'short', document({ role: 'viewer' })))
    const viewer = await clientFor('codehost_app:acme/short')
    await expect
      .poll(async () => (await viewer.get('/v1/whoami')).body['role'], { timeout: 6_000 })
      .toBe('viewer')
    must(await world.tenant.admin.delete('/v1/catalog/workload-identity/short'))
    await expect.poll(async () => (await client.get('/v1/whoami')).status, { timeout: 6_000 }).toBe(401)
    must(await world.tenant.admin.write('workload-identity', 'short', document()))
    expect((await client.get('/v1/whoami')).status).toBe(401)
    must(await (await clientFor('codehost_app:acme/short')).get('/v1/whoami'))
  })

  test('opens no session and no other key, and cannot be chosen by whoever writes the document', async () => {
    const client = await clientFor()
    expect((await client.post('/v1/session/links', {})).status).toBe(403)
    expect(
      (await world.server.anonymous.post('/v1/session', { apiKey: client.key, pageSecret: 'p'.repeat(43) }))
        .status,
    ).toBe(401)
    const token = must(await other.admin.write('token', 'theirs', { account: 'eve', role: 'admin' }))
    const { document: written } = must(
      await world.tenant.admin.write(
        'workload-identity',
        'thief',
        document({ keyId: token.document['keyId'] }),
      ),
    )
    expect(written['keyId']).not.toBe(token.document['keyId'])
    expect(written['key']).toBeUndefined()
    const who = await (await clientFor('codehost_app:acme/thief')).get('/v1/whoami')
    expect(who.body).toMatchObject({ account: 'release-job', tenant: { org: 'acme' } })
  })

  test.each([
    ['no conditions', { conditions: [] }],
    ['an issuer without TLS', { issuer: 'http://token.example.com' }],
    ['the role of an operator', { role: 'operator' }],
    ['a pattern, which nothing would match', { conditions: [{ claim: 'ref', pattern: '.*' }] }],
  ])('is not given by a document with %s', async (_what, fields) => {
    const answer = await world.tenant.admin.write('workload-identity', 'bad', document(fields))
    expect(answer.status).toBe(400)
  })
})

function withoutClaim(name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims()).filter(([claim]) => claim !== name))
}

function signShared(): Promise<string> {
  return new SignJWT(claims())
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode('s3cret'.repeat(8)))
}
