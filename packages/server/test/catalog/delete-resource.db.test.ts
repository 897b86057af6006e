import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
})

afterAll(() => server.close())

describe('a delete', () => {
  test('takes the resource away and answers with nothing', async () => {
    await acme.admin.write('persona', 'plain', {})
    const { status, text } = await acme.admin.delete('/v1/catalog/persona/plain')
    expect({ status, text }).toEqual({ status: 200, text: '{}' })
    expect((await acme.admin.read('persona', 'plain')).status).toBe(404)
  })

  test('goes ahead at the generation that it is conditioned on', async () => {
    await acme.admin.write('persona', 'exact', {})
    expect((await acme.admin.delete('/v1/catalog/persona/exact?ifGenerationMatch=1')).status).toBe(200)
  })

  test('leaves the generation counting, so that a stale write never affects a later incarnation', async () => {
    await acme.admin.write('persona', 'phoenix', {})
    await acme.admin.delete('/v1/catalog/persona/phoenix')
    const stale = await acme.admin.write('persona', 'phoenix', {}, { ifGenerationMatch: '1' })
    expect(stale).toMatchObject({ status: 400, reason: 'GENERATION_MISMATCH' })
    const created = await acme.admin.write('persona', 'phoenix', {}, { ifGenerationMatch: '0' })
    expect(created).toMatchObject({ status: 200, body: { generation: '3' } })
  })

  test('releases what the resource referred to', async () => {
    await acme.admin.write('persona', 'target', {})
    await acme.admin.write('workspace', 'referrer', { persona: 'target' })
    await acme.admin.delete('/v1/catalog/workspace/referrer')
    expect((await acme.admin.delete('/v1/catalog/persona/target')).status).toBe(200)
  })

  test('of a shadow leaves the built-in to those who refer to it', async () => {
    await acme.admin.write('vm-profile', 'default', { cpus: 8 })
    await acme.admin.write('pool', 'big', { vmProfile: 'default' })
    expect((await acme.admin.delete('/v1/catalog/vm-profile/default')).status).toBe(200)
  })

  test('by an operator in another tenant needs a justification, which that tenant can read', async () => {
    await acme.admin.write('persona', 'theirs', {})
    const path = '/v1/catalog/persona/theirs'
    const silent = await rival.operator.delete(path, { query: acme.query })
    expect(silent).toMatchObject({ status: 400, reason: 'JUSTIFICATION_REQUIRED', fields: ['justification'] })
    const blank = { ...acme.query, justification: ' ' }
    expect((await rival.operator.delete(path, { query: blank })).reason).toBe('JUSTIFICATION_REQUIRED')
    const query = { ...acme.query, justification: 'They asked us to.' }
    expect((await rival.operator.delete(path, { query })).status).toBe(200)
    const { body } = await acme.admin.get('/v1/audit?name=theirs&account=olga')
    expect(body['entries']).toMatchObject([{ justification: 'They asked us to.', role: 'operator' }])
  })
})

describe('a request that is not valid', () => {
  const path = '/v1/catalog/persona/x'
  test.each([
    ['a kind that is no name', '/v1/catalog/Persona/x', ['ref.kind']],
    ['a name that is no name', '/v1/catalog/persona/x_y', ['ref.name']],
    ['an unknown provider', `${path}?ref.tenant.provider=ACME`, ['ref.tenant.provider']],
    ['an org that is too long', `${path}?ref.tenant.org=${'o'.repeat(256)}`, ['ref.tenant.org']],
    ['a negative generation', `${path}?ifGenerationMatch=-1`, ['ifGenerationMatch']],
    ['a generation with a fraction', `${path}?ifGenerationMatch=1.0`, ['ifGenerationMatch']],
    ['two generations', `${path}?ifGenerationMatch=1&ifGenerationMatch=2`, ['ifGenerationMatch']],
    ['a generation beyond 64 bits', `${path}?ifGenerationMatch=9223372036854775808`, ['ifGenerationMatch']],
    ['a justification that is too long', `${path}?justification=${'j'.repeat(4097)}`, ['justification']],
    ['a justification with a NUL', `${path}?justification=%00`, ['justification']],
    ['an unknown parameter', `${path}?force=true`, ['force']],
  ])('is refused: %s', async (_case, url, fields) => {
    const answer = await acme.admin.delete(url)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect([...new Set(answer.fields)]).toEqual(fields)
  })

  test('is refused for conditions in a body, which nobody would read', async () => {
    await acme.admin.write('persona', 'kept', {})
    const answer = await acme.admin.send('DELETE', '/v1/catalog/persona/kept', { ifGenerationMatch: '7' })
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: [''] })
    expect((await acme.admin.read('persona', 'kept')).status).toBe(200)
  })

  test.each(['', 'é', 'k'.repeat(256), 'a\tb'])('is refused for the idempotency key %j', async (key) => {
    const answer = await acme.admin.delete(path, { headers: { 'idempotency-key': key } })
    expect(answer).toMatchObject({ status: 400, reason: 'IDEMPOTENCY_KEY_INVALID' })
  })

  test.each(['0', '2', '9223372036854775807'])(
    'changes nothing when the resource is not at generation %s',
    async (generation) => {
      await acme.admin.write('persona', `at-one-${generation}`, {})
      const url = `/v1/catalog/persona/at-one-${generation}`
      const answer = await acme.admin.delete(`${url}?ifGenerationMatch=${generation}`)
      expect(answer).toMatchObject({ status: 400, reason: 'GENERATION_MISMATCH', body: { code: 9 } })
      expect(answer.text).toContain('"currentGeneration":"1"')
      expect((await acme.admin.get(url)).status).toBe(200)
    },
  )

  test('is refused while others refer to the resource, and names them', async () => {
    await acme.admin.write('secret', 'npm', { value: 'x' })
    await acme.admin.write('environment', 'node', { secrets: { NPM_TOKEN: 'npm' } })
    await acme.admin.write('environment', 'web', { secrets: { TOKEN: 'npm' } })
    const answer = await acme.admin.delete('/v1/catalog/secret/npm')
    expect(answer).toMatchObject({ status: 400, reason: 'RESOURCE_REFERENCED', body: { code: 9 } })
    expect(answer.text).toContain('"referrers":"environment/node,environment/web"')
  })

  test('is refused for a profile that a token acts for', async () => {
    await acme.admin.write('profile', 'night', {})
    const owner = { account: 'night', ownerProvider: 'PROVIDER_SERVICE_PROFILE' }
    await acme.admin.write('token', 'night', { ...owner, role: 'member' })
    const answer = await acme.admin.delete('/v1/catalog/profile/night')
    expect(answer).toMatchObject({ status: 400, reason: 'RESOURCE_REFERENCED' })
  })

  test('is refused for a built-in', async () => {
    const answer = await acme.admin.delete('/v1/catalog/persona/default')
    expect(answer).toMatchObject({ status: 400, reason: 'BUILT_IN_NOT_DELETABLE', body: { code: 9 } })
  })
})

describe('a caller who may not', () => {
  test.each(['viewer', 'member', 'runner'] as const)('delete anything is refused: %s', async (role) => {
    await acme.admin.write('persona', 'safe', {})
    const answer = await (await acme.as(role)).delete('/v1/catalog/persona/safe')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    expect((await acme.admin.read('persona', 'safe')).status).toBe(200)
  })

  test('delete a token that can do more than their own is refused', async () => {
    const answer = await acme.admin.delete('/v1/catalog/token/operator')
    expect(answer).toMatchObject({ status: 403, reason: 'ROLE_NOT_GRANTABLE', body: { code: 7 } })
  })
})

describe('what does not exist', () => {
  test('is a resource that never was, or was deleted before', async () => {
    const never = await acme.admin.delete('/v1/catalog/persona/nobody')
    expect(never).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    await acme.admin.write('persona', 'twice', {})
    await acme.admin.delete('/v1/catalog/persona/twice')
    expect((await acme.admin.delete('/v1/catalog/persona/twice')).reason).toBe('RESOURCE_NOT_FOUND')
  })

  test('is a kind that the catalog lacks', async () => {
    const answer = await acme.admin.delete('/v1/catalog/robot/r2')
    expect(answer).toMatchObject({ status: 404, reason: 'KIND_UNKNOWN' })
  })

  test('is indistinguishable from a resource of another tenant, which stays', async () => {
    await rival.admin.write('persona', 'hidden', {})
    const path = '/v1/catalog/persona/hidden'
    const missing = await acme.admin.delete(path)
    expect(missing.status).toBe(404)
    expectSameAnswer(await acme.admin.delete(path, { query: rival.query }), missing)
    const nowhere = { 'ref.tenant.org': 'no-such-org' }
    expectSameAnswer(await acme.admin.delete(path, { query: nowhere }), missing)
    expect((await rival.admin.read('persona', 'hidden')).status).toBe(200)
  })
})
