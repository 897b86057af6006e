import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgeToken } from './documents.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  for (const name of ['zeta', 'alpha', 'default', 'mid-1']) await acme.admin.write('pool', name, {})
  await rival.admin.write('pool', 'theirs', {})
})

afterAll(() => server.close())

interface Entry {
  name: string
  generation: string
  builtIn: boolean
}
const entriesOf = (body: Record<string, unknown>) => body['entries'] as Entry[]
const namesOf = (body: Record<string, unknown>) => entriesOf(body).map(({ name }) => name)

describe('the list of a kind', () => {
  test('has the tenant’s own resources by name, and none of another tenant', async () => {
    const { status, body } = await acme.admin.get('/v1/catalog/pool')
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'pool', inputFormat: 'INPUT_FORMAT_YAML', nextPageToken: '' })
    expect(namesOf(body)).toEqual(['alpha', 'default', 'mid-1', 'zeta'])
  })

  test('has built-ins, unless the tenant shadows them', async () => {
    const own = entriesOf((await acme.admin.get('/v1/catalog/pool')).body)
    expect(own.find(({ name }) => name === 'default')).toMatchObject({ generation: '1', builtIn: false })
    const untouched = entriesOf((await rival.admin.get('/v1/catalog/pool')).body)
    expect(untouched.find(({ name }) => name === 'default')).toMatchObject({ generation: '0', builtIn: true })
  })

  test('leaves deleted resources out', async () => {
    await acme.admin.write('profile', 'kept', {})
    await acme.admin.write('profile', 'gone', {})
    await acme.admin.delete('/v1/catalog/profile/gone')
    expect(namesOf((await acme.admin.get('/v1/catalog/profile')).body)).toEqual(['kept'])
  })

  test('is empty for a kind without resources', async () => {
    const { body } = await acme.admin.get('/v1/catalog/integration')
    expect(body).toMatchObject({ entries: [], nextPageToken: '' })
  })

  test.each([1, 2, 3, 4])('comes whole and in order in pages of %i', async (pageSize) => {
    const names: string[] = []
    let pageToken = ''
    do {
      const query = { pageSize: String(pageSize), pageToken }
      const { body } = await acme.admin.get('/v1/catalog/pool', { query })
      expect(namesOf(body).length).toBeLessThanOrEqual(pageSize)
      names.push(...namesOf(body))
      pageToken = String(body['nextPageToken'])
    } while (pageToken !== '')
    expect(names).toEqual(['alpha', 'default', 'mid-1', 'zeta'])
  })

  test('is open to a viewer and to an operator of another tenant, not to a runner', async () => {
    expect((await (await acme.as('viewer')).get('/v1/catalog/pool')).status).toBe(200)
    const { body } = await acme.operator.get('/v1/catalog/pool', { query: rival.query })
    expect(namesOf(body)).toEqual(['default', 'theirs'])
    const refused = await (await acme.as('runner')).get('/v1/catalog/pool')
    expect(refused).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })
})

describe('a request that is not valid', () => {
  test.each([
    ['a kind that is no name', '/v1/catalog/Pool', ['ref.kind']],
    ['no kind', '/v1/catalog/', ['ref.kind']],
    ['an unknown provider', '/v1/catalog/pool?ref.tenant.provider=ACME', ['ref.tenant.provider']],
    ['an org that is too long', `/v1/catalog/pool?ref.tenant.org=${'o'.repeat(256)}`, ['ref.tenant.org']],
    ['a page of nothing', '/v1/catalog/pool?pageSize=0', ['pageSize']],
    ['a page that is too large', '/v1/catalog/pool?pageSize=1001', ['pageSize']],
    ['half an entry', '/v1/catalog/pool?pageSize=1.5', ['pageSize']],
    ['a page size that is no number', '/v1/catalog/pool?pageSize=many', ['pageSize']],
    ['a page token that is too long', `/v1/catalog/pool?pageToken=${'t'.repeat(1025)}`, ['pageToken']],
    ['an unknown parameter', '/v1/catalog/pool?sort=name', ['sort']],
  ])('is refused: %s', async (_case, path, fields) => {
    const answer = await acme.admin.get(path)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect(answer.fields).toEqual(fields)
  })

  test.each([
    ['no base64', '%%%'],
    ['no JSON', Buffer.from('nonsense').toString('base64url')],
    ['no list', forgeToken({ list: 'resources/pool' })],
    ['without a position', forgeToken(['resources/pool'])],
    ['of another kind', forgeToken(['resources/persona', 'alpha'])],
    ['with a position that is no name', forgeToken(['resources/pool', "'; drop table resource"])],
  ])('is refused for a page token that is %s', async (_case, pageToken) => {
    const answer = await acme.admin.get('/v1/catalog/pool', { query: { pageToken } })
    expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
  })
})

describe('what does not exist', () => {
  test('is a kind that the catalog lacks', async () => {
    expect(await acme.admin.get('/v1/catalog/robot')).toMatchObject({ status: 404, reason: 'KIND_UNKNOWN' })
  })

  test('is indistinguishable from another tenant', async () => {
    const missing = await acme.admin.get('/v1/catalog/pool', { query: { 'ref.tenant.org': 'no-such-org' } })
    expect(missing).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
    expectSameAnswer(await acme.admin.get('/v1/catalog/pool', { query: rival.query }), missing)
  })
})
