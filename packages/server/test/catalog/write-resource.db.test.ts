import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode, SMALLEST } from './documents.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('workspace', 'shop', {})
  await acme.admin.write('profile', 'night', {})
})

afterAll(() => server.close())

describe('a write', () => {
  test('creates a resource at generation 1 and answers with all that is stored', async () => {
    const answer = await acme.admin.write('persona', 'new', { prompt: 'Be brief.' })
    expect(answer).toMatchObject({ status: 200, body: { generation: '1' } })
    expect(answer.document).toEqual((await acme.admin.read('persona', 'new')).document)
    expect(answer.document).toMatchObject({ prompt: 'Be brief.', model: '', metadata: { name: 'new' } })
  })

  test.each(Object.entries(SMALLEST))('takes the smallest %s', async (kind, document) => {
    const options = { justification: 'a test' }
    expect((await acme.operator.write(kind, 'default', document, options)).status).toBe(200)
    await acme.operator.delete(`/v1/catalog/${kind}/default?justification=a+test`)
  })

  test('replaces the whole document: what it leaves out goes back to its default', async () => {
    await acme.admin.write('persona', 'replaced', { prompt: 'Old.', model: 'claude-x' })
    const { body, document } = await acme.admin.write('persona', 'replaced', { prompt: 'New.' })
    expect(body['generation']).toBe('2')
    expect(document).toMatchObject({ prompt: 'New.', model: '' })
  })

  test('takes a reference that names what the path names', async () => {
    for (const ref of [{ kind: 'persona', name: 'twice' }, { kind: '', name: '' }, {}])
      expect((await acme.admin.write('persona', 'twice', {}, { ref })).status).toBe(200)
  })

  test('answers with times in UTC, whatever offset they were sent with', async () => {
    const expireTime = '2031-01-01T05:30:00+05:30'
    const { document } = await acme.admin.write('token', 'offset', {
      account: 'x',
      role: 'viewer',
      expireTime,
    })
    expect(document['expireTime']).toBe('2031-01-01T00:00:00.000Z')
    expect((await acme.admin.read('token', 'offset')).document['expireTime']).toBe('2031-01-01T00:00:00.000Z')
  })

  test('keeps the time of creation and records each later one', async () => {
    const first = await acme.admin.write('persona', 'dated', {})
    const second = await acme.admin.write('persona', 'dated', { prompt: 'x' })
    const [created, updated] = [first, second].map(
      ({ document }) => document['metadata'] as { createTime: string; updateTime: string },
    )
    expect(updated?.createTime).toBe(created?.createTime)
    expect(updated && created && updated.updateTime >= created.updateTime).toBe(true)
  })

  test('ignores what only the service sets', async () => {
    const metadata = { name: 'other', generation: '99', updatedBy: 'mallory' }
    const { status, document } = await acme.admin.write('token', 'mine', {
      account: 'ci',
      role: 'viewer',
      metadata,
      keyId: 'chosen',
      key: 'skn_chosen.chosen',
    })
    expect(status).toBe(200)
    expect(document).toMatchObject({ metadata: { name: 'mine', generation: '1', updatedBy: 'ada' } })
    expect(document['key']).not.toBe('skn_chosen.chosen')
    expect(document['keyId']).not.toBe('chosen')
  })

  test('takes either alphabet of base64, padded or not', async () => {
    const text = JSON.stringify({ prompt: '»>?÷?>«' })
    for (const encoding of ['base64', 'base64url'] as const) {
      const payload = Buffer.from(text).toString(encoding)
      const { status, document } = await acme.admin.post('/v1/catalog/persona/alphabet', { payload })
      expect(status).toBe(200)
      expect(document['prompt']).toBe('»>?÷?>«')
    }
  })

  test('goes ahead at the generation that it is conditioned on', async () => {
    await acme.admin.write('persona', 'chained', {}, { ifGenerationMatch: '0' })
    const second = await acme.admin.write('persona', 'chained', {}, { ifGenerationMatch: '1' })
    expect(second).toMatchObject({ status: 200, body: { generation: '2' } })
    const third = await acme.admin.write(
      'persona',
      'chained',
      {},
      { ifGenerationMatch: second.body['generation'] },
    )
    expect(third.body['generation']).toBe('3')
  })

  test('fills in a missing owner provider from the caller', async () => {
    const open = { account: 'ci', role: 'viewer', ownerProvider: 'PROVIDER_UNSPECIFIED' }
    const { document } = await acme.admin.write('token', 'owned', open)
    expect(document['ownerProvider']).toBe('PROVIDER_CODEHOST_OAUTH')
  })

  test('of an operator in another tenant is that tenant’s, under a justification', async () => {
    const fields = { ref: { tenant: acme.tenant }, justification: 'They asked us to.' }
    const answer = await rival.operator.write('persona', 'helped', {}, fields)
    expect(answer).toMatchObject({ status: 200, document: { metadata: { updatedBy: 'olga' } } })
    expect((await acme.admin.read('persona', 'helped')).status).toBe(200)
    expect((await rival.admin.read('persona', 'helped')).status).toBe(404)
  })
})

describe('a request that is not valid', () => {
  const path = '/v1/catalog/persona/x'
  const payload = encode({})
  test.each<[string, string, unknown, string[]]>([
    ['a kind that is no name', '/v1/catalog/Persona/x', { payload }, ['ref.kind']],
    ['a name that is no name', '/v1/catalog/persona/x.y', { payload }, ['ref.name']],
    ['a condition in the URL', `${path}?ifGenerationMatch=0`, { payload }, ['ifGenerationMatch']],
    ['a body that is null', path, 'null', ['']],
    ['a body that is a list', path, [], ['']],
    ['a ref that is no object', path, { payload, ref: 'acme' }, ['ref']],
    ['an unknown field of ref', path, { payload, ref: { id: 'y' } }, ['ref.id']],
    ['an unknown provider', path, { payload, ref: { tenant: { provider: 'X' } } }, ['ref.tenant.provider']],
    ['an org that is no text', path, { payload, ref: { tenant: { org: 7 } } }, ['ref.tenant.org']],
    [
      'an org that is too long',
      path,
      { payload, ref: { tenant: { org: 'o'.repeat(256) } } },
      ['ref.tenant.org'],
    ],
    ['an unknown field of the tenant', path, { payload, ref: { tenant: { id: '1' } } }, ['ref.tenant.id']],
    ['a payload that is no text', path, { payload: {} }, ['payload']],
    ['a payload that is no base64', path, { payload: '{"prompt":""}' }, ['payload']],
    ['a mask that is no text', path, { payload, updateMask: ['prompt'] }, ['updateMask']],
    ['a mask that is too long', path, { payload, updateMask: 'a'.repeat(16_385) }, ['updateMask']],
    ['a justification that is no text', path, { payload, justification: 1 }, ['justification']],
    [
      'a justification that is too long',
      path,
      { payload, justification: 'j'.repeat(4097) },
      ['justification'],
    ],
    ['a generation below 0', path, { payload, ifGenerationMatch: '-1' }, ['ifGenerationMatch']],
    ['a reference to another kind', path, { payload, ref: { kind: 'environment' } }, ['ref.kind']],
    ['a reference to another name', path, { payload, ref: { name: 'other' } }, ['ref.name']],
    ['an unknown field', path, { payload, etag: '1' }, ['etag']],
    ['several mistakes', path, { payload: 1, updateMask: 1, etag: 1 }, ['etag', 'payload', 'updateMask']],
  ])('is refused: %s', async (_case, url, body, fields) => {
    const answer = await acme.admin.post(url, body)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', body: { code: 3 } })
    expect([...answer.fields].sort()).toEqual(fields)
    expect((await acme.admin.get(path)).status).toBe(404)
  })

  test.each(['', 'é', 'k'.repeat(256), 'a\tb'])('is refused for the idempotency key %j', async (key) => {
    const answer = await acme.admin.write('persona', 'x', {}, {}, { headers: { 'idempotency-key': key } })
    expect(answer).toMatchObject({ status: 400, reason: 'IDEMPOTENCY_KEY_INVALID' })
  })

  test.each(['0', '2', '9223372036854775807'])(
    'writes nothing when the resource is not at generation %s',
    async (ifGenerationMatch) => {
      await acme.admin.write('persona', `one-${ifGenerationMatch}`, { prompt: 'Kept.' })
      const name = `one-${ifGenerationMatch}`
      const answer = await acme.admin.write('persona', name, { prompt: 'Lost.' }, { ifGenerationMatch })
      expect(answer).toMatchObject({ status: 400, reason: 'GENERATION_MISMATCH', body: { code: 9 } })
      expect(answer.text).toContain('"currentGeneration":"1"')
      expect(await acme.admin.read('persona', name)).toMatchObject({
        body: { generation: '1' },
        document: { prompt: 'Kept.' },
      })
    },
  )

  test('writes nothing if a generation is given and the resource does not exist', async () => {
    const answer = await acme.admin.write('persona', 'absent', {}, { ifGenerationMatch: '1' })
    expect(answer).toMatchObject({ status: 400, reason: 'GENERATION_MISMATCH' })
  })

  test.each([undefined, '', ' \n '])('is refused for an operator with the justification %j', async (text) => {
    const fields = text === undefined ? {} : { justification: text }
    const answer = await acme.operator.write('persona', 'x', {}, fields)
    expect(answer).toMatchObject({ status: 400, reason: 'JUSTIFICATION_REQUIRED', fields: ['justification'] })
  })
})

describe('a caller who may not', () => {
  test.each(['viewer', 'member', 'runner'] as const)('write anything is refused: %s', async (role) => {
    const answer = await (await acme.as(role)).write('persona', 'x', {})
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test.each(['operator', 'run', 'guest'])('create a token with the role %s is rejected', async (role) => {
    const answer = await acme.admin.write('token', 'higher', { account: 'ada', role })
    expect(answer).toMatchObject({ status: 403, reason: 'ROLE_NOT_GRANTABLE', body: { code: 7 } })
    expect((await acme.admin.read('token', 'higher')).status).toBe(404)
  })

  test('change a token that can do more than their own is refused, whatever they change it to', async () => {
    const lower = await acme.admin.write('token', 'operator', { role: 'viewer' }, { updateMask: 'role' })
    expect(lower).toMatchObject({ status: 403, reason: 'ROLE_NOT_GRANTABLE' })
    const rotated = await acme.admin.write(
      'token',
      'operator',
      { keyVersion: 2 },
      { updateMask: 'keyVersion' },
    )
    expect(rotated).toMatchObject({ status: 403, reason: 'ROLE_NOT_GRANTABLE' })
  })

  test('create the key of a run is rejected even as an operator, who may create other operators', async () => {
    const why = { justification: 'A new colleague.' }
    const run = await acme.operator.write('token', 'a-run', { account: 'x', role: 'run' }, why)
    expect(run).toMatchObject({ status: 403, reason: 'ROLE_NOT_GRANTABLE' })
    const colleague = await acme.operator.write('token', 'colleague', { account: 'x', role: 'operator' }, why)
    expect(colleague.status).toBe(200)
  })
})

const patchHidden = (fields: object) =>
  acme.admin.write('persona', 'hidden', { prompt: 'Ours.' }, { updateMask: 'prompt', ...fields })

const replaceIn = (name: string, org: string) =>
  acme.admin.write('persona', name, { prompt: 'Ours.' }, { ref: { tenant: { org } } })

describe('what does not exist', () => {
  test('is a kind that the catalog lacks', async () => {
    expect(await acme.admin.write('robot', 'r2', {})).toMatchObject({ status: 404, reason: 'KIND_UNKNOWN' })
  })

  test('cannot be patched', async () => {
    const answer = await acme.admin.write('persona', 'nobody', { prompt: 'x' }, { updateMask: 'prompt' })
    expect(answer).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
  })

  test('is indistinguishable from a resource of another tenant for a patch, and theirs stays', async () => {
    await rival.admin.write('persona', 'hidden', { prompt: 'Theirs.' })
    const missing = await patchHidden({})
    expect(missing.status).toBe(404)
    expectSameAnswer(await patchHidden({ ref: { tenant: rival.tenant } }), missing)
    expectSameAnswer(await patchHidden({ ref: { tenant: { org: 'no-such-org' } } }), missing)
    expect((await rival.admin.read('persona', 'hidden')).document['prompt']).toBe('Theirs.')
  })

  test('is indistinguishable from a resource of another tenant for a replacement, and theirs stays', async () => {
    await rival.admin.write('persona', 'veiled', { prompt: 'Theirs.' })
    const nowhere = await replaceIn('veiled', 'no-such-org')
    expect(nowhere).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    expectSameAnswer(await replaceIn('veiled', 'rival'), nowhere)
    expect((await replaceIn('not-even-there', 'rival')).reason).toBe('RESOURCE_NOT_FOUND')
    expect((await rival.admin.read('persona', 'veiled')).document['prompt']).toBe('Theirs.')
  })

  test('is a tenant that an operator misspells', async () => {
    const fields = { ref: { tenant: { org: 'no-such-org' } }, justification: 'A typo.' }
    const answer = await acme.operator.write('persona', 'x', {}, fields)
    expect(answer).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
  })
})
