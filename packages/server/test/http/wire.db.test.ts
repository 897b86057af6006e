import { OPERATIONS, type Operation } from '@skein/contract'
import { isAllowed } from '@skein/core'
import { startTestServer, type TestClient, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOT_SERVED } from '../../src/routes/not-served.ts'
import { encode } from '../catalog/documents.ts'

let server: TestServer
let tenant: TestTenant
let runner: TestClient

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
  runner = await tenant.as('runner')
})

afterAll(() => server.close())

/** A request whose body and headers no client of ours would build. */
function sendRaw(method: 'POST' | 'DELETE', url: string, payload: string | Buffer, contentType?: string) {
  return server.app.inject({
    method,
    url,
    payload,
    headers: {
      authorization: `Bearer ${tenant.admin.key}`,
      ...(contentType !== undefined && { 'content-type': contentType }),
    },
  })
}

/** A POST without a body. */
const sendNothing = (url: string, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${tenant.admin.key}`, ...headers },
  })

const post = (text: string) => tenant.admin.post('/v1/catalog/persona/x', text)

describe('a 64-bit integer', () => {
  test.each(['9223372036854775807', '"9223372036854775807"'])(
    'is exact when sent as %s',
    async (spelling) => {
      const answer = await post(`{"payload":"${encode({})}","ifGenerationMatch":${spelling}}`)
      expect(answer).toMatchObject({ status: 400, reason: 'GENERATION_MISMATCH' })
      expect(answer.text).toContain('not 9223372036854775807')
    },
  )

  test.each(['0', '"0"'])('may be spelt %s', async (spelling) => {
    const body = `{"payload":"${encode({})}","ifGenerationMatch":${spelling}}`
    const answer = await tenant.admin.post(`/v1/catalog/persona/zero-${spelling.length}`, body)
    expect(answer).toMatchObject({ status: 200, body: { generation: '1' } })
  })

  test.each([
    '1e3',
    '1.5',
    '1.0',
    '"1e3"',
    '"0x10"',
    '" 1"',
    '"01"',
    '""',
    '9223372036854775808',
    '"9223372036854775808"',
    'true',
    '{}',
  ])('is refused as %s, and the answer says how to spell it', async (spelling) => {
    const answer = await post(`{"payload":"${encode({})}","ifGenerationMatch":${spelling}}`)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect(answer.fields).toContain('ifGenerationMatch')
    expect(answer.text).toContain('must be a 64-bit integer, as a string of digits or a bare integer')
  })

  test.each(['-1', '"-1"', '-9223372036854775808'])(
    'is rejected as %s where it matters',
    async (spelling) => {
      const answer = await post(`{"payload":"${encode({})}","ifGenerationMatch":${spelling}}`)
      expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: ['ifGenerationMatch'] })
      expect(answer.text).toContain('must be 0 or more')
    },
  )
})

describe('an enum', () => {
  test('means nothing when it is unspecified', async () => {
    const ref = { tenant: { provider: 'PROVIDER_UNSPECIFIED', org: 'acme' } }
    expect((await tenant.admin.write('persona', 'unspecified', {}, { ref })).status).toBe(200)
  })

  test.each(['provider_codehost_app', 'CODEHOST_APP', '2', ''])('is refused as %j', async (provider) => {
    const answer = await tenant.admin.write('persona', 'x', {}, { ref: { tenant: { provider } } })
    expect(answer).toMatchObject({ status: 400, fields: ['ref.tenant.provider'] })
    expect(answer.text).toContain('PROVIDER_CODEHOST_APP')
  })
})

describe('a field that is null', () => {
  test('is one that was left out', async () => {
    const document = encode({ prompt: 'Be brief.', model: null })
    const body = { payload: document, ref: { tenant: null }, ifGenerationMatch: null, justification: null }
    expect((await tenant.admin.post('/v1/catalog/persona/null', body)).status).toBe(200)
    expect((await tenant.admin.read('persona', 'null')).document).toMatchObject({ model: '' })
    expect((await tenant.admin.post('/v1/agents', { account: null, parentId: null })).status).toBe(200)
  })

  test('is missing where it is required, and unknown where it is a typo', async () => {
    const missing = await tenant.admin.post('/v1/agent/status', { agentId: null })
    expect(missing).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: ['agentId'] })
    const typo = await tenant.admin.post('/v1/agents', { acount: null })
    expect(typo).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: ['acount'] })
  })
})

describe('a request without a body', () => {
  test.each([{}, { 'content-type': 'application/json' }])(
    'is one without fields, where none is required: %j',
    async (headers) => {
      expect((await sendNothing('/v1/agents', headers)).json()).toEqual({ entries: [], nextPageToken: '' })
    },
  )

  test('is refused where a field is required', async () => {
    expect((await sendNothing('/v1/agent/status')).json()).toMatchObject({
      code: 3,
      details: [{ reason: 'REQUEST_INVALID' }, {}],
    })
  })
})

describe('a violation', () => {
  test.each([
    ['/v1/agent/status', { agentId: { agent: ['a'] } }, 'agentId.workspace'],
    ['/v1/agents', { parentId: { agent: ['a'] } }, 'parentId.workspace'],
    ['/v1/agents/watch', { parentId: { workspace: 'shop' } }, 'parentId.agent'],
    ['/v1/agents', { parentId: { workspace: 'shop', agent: 'abcdefghi'.split('') } }, 'parentId.agent'],
    ['/v1/fleet', { under: { agent: ['a'] } }, 'under.workspace'],
  ])('of %s names the field that was sent: %j', async (path, body, field) => {
    expect(await tenant.admin.post(path, body)).toMatchObject({ status: 400, fields: [field] })
  })
})

describe('an answer', () => {
  test('never has a null in it', async () => {
    await tenant.admin.write('persona', 'nulls', {})
    await tenant.admin.write('token', 'nulls', { account: 'x', role: 'viewer' })
    await tenant.admin.delete('/v1/catalog/persona/nulls')
    const paths = [
      '/v1/whoami',
      '/v1/catalog',
      '/v1/catalog/token',
      '/v1/catalog/backend/a',
      '/v1/catalog/token/nulls',
      '/v1/catalog/persona/nulls/history',
      '/v1/audit',
      '/v1/catalog/persona/nulls',
    ]
    for (const path of paths) {
      const { text } = await tenant.admin.get(path)
      const payloads = [...text.matchAll(/"payload":"([^"]*)"/g)].map(([, payload]) =>
        Buffer.from(payload ?? '', 'base64').toString(),
      )
      expect([path, text, ...payloads].join('\n')).not.toMatch(/[:[,]\s*null/)
    }
  })

  test('has its request’s id when that is well-formed', async () => {
    const headers = { 'x-request-id': 'Build-7.3:step_2' }
    expect((await tenant.admin.get('/v1/whoami', { headers })).headers['x-request-id']).toBe(
      headers['x-request-id'],
    )
  })

  test.each(['', 'two words', 'x'.repeat(129), 'a"b', '<script>'])(
    'has a new id in place of %j',
    async (requestId) => {
      const { headers } = await tenant.admin.get('/v1/whoami', { headers: { 'x-request-id': requestId } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('has the security headers', async () => {
    const { headers } = await tenant.admin.get('/v1/whoami')
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'strict-transport-security': expect.stringContaining('max-age=') as string,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
    expect(headers['x-powered-by']).toBeUndefined()
  })
})

describe('a body', () => {
  test.each([
    ['cut off', '{"payload":'],
    ['with a trailing comma', '{"payload":"",}'],
    ['in single quotes', "{'payload':''}"],
    ['with a NUL', String.raw`{"justification":"\u0000"}`],
    ['with half a character', String.raw`{"justification":"\udfff"}`],
    ['with the key __proto__', '{"__proto__":{"payload":""}}'],
    ['of NaN', '{"ifGenerationMatch":NaN}'],
  ])('that is not our JSON is rejected: %s', async (_case, text) => {
    expect(await post(text)).toMatchObject({ status: 400, reason: 'JSON_INVALID', body: { code: 3 } })
  })

  test('that is not UTF-8 is rejected', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"justification":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ])
    const answer = await sendRaw('POST', '/v1/catalog/persona/x', bytes, 'application/json')
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('JSON_INVALID')
  })

  test('that is nested very deep is refused, not crashed on', async () => {
    const answer = await post(`{"ref":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
    expect(answer.status).toBe(400)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'nonsense',
    undefined,
  ])('of the media type %s is refused', async (contentType) => {
    const answer = await sendRaw('POST', '/v1/catalog/persona/x', '{}', contentType)
    expect(answer.statusCode).toBe(415)
    expect(answer.json()).toMatchObject({ code: 3, details: [{ reason: 'MEDIA_TYPE_UNSUPPORTED' }] })
  })

  test('of JSON with a character set is taken', async () => {
    const body = JSON.stringify({ payload: encode({}) })
    const answer = await sendRaw('POST', '/v1/catalog/persona/utf', body, 'application/json; charset=utf-8')
    expect(answer.statusCode).toBe(200)
  })

  const MIB = 1024 * 1024
  test.each([
    ['/v1/agent/kill', MIB],
    ['/v1/catalog/persona/x', 4 * MIB],
  ])('to %s may have %i bytes and not one more', async (path, limit) => {
    const most = await tenant.admin.post(path, '{}'.padEnd(limit))
    expect(most).toMatchObject({ status: 400 })
    const tooMuch = await tenant.admin.post(path, '{}'.padEnd(limit + 1))
    expect(tooMuch).toMatchObject({ status: 413, reason: 'BODY_TOO_LARGE', body: { code: 8 } })
  })

  test('in a delete is refused, whatever its type', async () => {
    const path = '/v1/catalog/persona/x'
    const bodies = await Promise.all([
      sendRaw('DELETE', path, '{"ifGenerationMatch":"1"}', 'application/json'),
      sendRaw('DELETE', path, '{"ifGenerationMatch":"1"}'),
      sendRaw('DELETE', path, 'ifGenerationMatch=1', 'application/x-www-form-urlencoded'),
    ])
    expect(bodies.map(({ statusCode }) => statusCode)).toEqual([400, 415, 415])
  })
})

describe('a path', () => {
  test.each([
    '/v1',
    '/v2/whoami',
    '/v1/whoami/',
    '/v1/WHOAMI',
    '/v1//catalog',
    '/v1/catalog/a/b/c',
    '/metrics/x',
  ])('that no operation has is not found: %s', async (path) => {
    const answer = await tenant.admin.get(path)
    expect(answer).toMatchObject({ status: 404, reason: 'PATH_UNKNOWN', body: { code: 5 } })
  })

  test.each(['/v1/catalog/persona/%zz', '/v1/catalog/persona/%ff', `/v1/catalog/persona/${'a'.repeat(300)}`])(
    'that cannot be read is refused: %.40s',
    async (path) => {
      expect(await tenant.admin.get(path)).toMatchObject({ status: 400, reason: 'HTTP_INVALID' })
    },
  )

  test.each([
    ['PUT', '/v1/whoami', ['GET']],
    ['DELETE', '/v1/catalog', ['GET']],
    ['GET', '/v1/agent/spawn', ['POST']],
    ['PATCH', '/v1/catalog/persona/x', ['DELETE', 'GET', 'POST']],
    ['POST', '/v1/catalog/persona/x/history', ['GET']],
  ] as const)('does not take %s: %s', async (method, path, allowed) => {
    const answer = await tenant.admin.send(method, path, undefined)
    expect(answer).toMatchObject({ status: 405, reason: 'METHOD_NOT_ALLOWED', body: { code: 12 } })
    expect(answer.headers['allow']?.split(', ').sort()).toEqual(allowed)
  })
})

describe('an operation of a later version', () => {
  const notServed: [string, Operation][] = NOT_SERVED.map(({ operation }) => [operation.id, operation])

  test.each(notServed)('%s says that it is not served yet', async (_id, operation) => {
    const { method, path, example, permission } = operation
    const client = permission === 'none' || isAllowed('admin', permission) ? tenant.admin : runner
    const answer = await client.send(method, path, example.request)
    expect(answer).toMatchObject({ status: 501, reason: 'OPERATION_NOT_SERVED', body: { code: 12 } })
  })

  test('is not one that this version has to serve', () => {
    const served = OPERATIONS.filter(({ id }) => !notServed.some(([other]) => other === id))
    expect(served.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'whoami',
        'listKinds',
        'listResources',
        'readResource',
        'writeResource',
        'deleteResource',
        'resourceHistory',
        'listAudit',
      ]),
    )
  })
})
