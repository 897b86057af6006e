import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgeToken } from './documents.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant
const path = '/v1/catalog/persona/reviewer/history'

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('persona', 'reviewer', { prompt: 'One.' }, { justification: 'To begin.' })
  await acme.admin.write('persona', 'reviewer', { prompt: 'Two.' })
  await acme.admin.delete('/v1/catalog/persona/reviewer?justification=Done.')
  await acme.admin.write('persona', 'reviewer', { prompt: 'Four.' })
  await rival.admin.write('persona', 'hidden', {})
})

afterAll(() => server.close())

interface Version {
  generation: string
  action: string
  payload: string
  justification: string
}
const entriesOf = (body: Record<string, unknown>) => body['entries'] as Version[]
const promptOf = ({ payload }: Version) =>
  (JSON.parse(Buffer.from(payload, 'base64').toString()) as { prompt: string }).prompt

describe('the history of a resource', () => {
  test('has every version, newest first, with who, when and why', async () => {
    const { status, body } = await acme.admin.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'persona', name: 'reviewer', nextPageToken: '' })
    expect(entriesOf(body)).toMatchObject([
      { generation: '4', action: 'ACTION_CREATED', updatedBy: 'ada', justification: '' },
      { generation: '3', action: 'ACTION_DELETED', updatedBy: 'ada', justification: 'Done.' },
      { generation: '2', action: 'ACTION_UPDATED', updatedBy: 'ada', justification: '' },
      { generation: '1', action: 'ACTION_CREATED', updatedBy: 'ada', justification: 'To begin.' },
    ])
    expect(entriesOf(body).map(promptOf)).toEqual(['Four.', 'Two.', 'Two.', 'One.'])
  })

  test('outlives the resource', async () => {
    await acme.admin.write('profile', 'night', {})
    await acme.admin.delete('/v1/catalog/profile/night')
    const { status, body } = await acme.admin.get('/v1/catalog/profile/night/history')
    expect(status).toBe(200)
    expect(entriesOf(body).map(({ action }) => action)).toEqual(['ACTION_DELETED', 'ACTION_CREATED'])
  })

  test('is empty for a built-in that nobody shadowed', async () => {
    const { status, body } = await acme.admin.get('/v1/catalog/backend/a/history')
    expect(status).toBe(200)
    expect(body['entries']).toEqual([])
  })

  test.each([1, 3])('comes whole and in order in pages of %i', async (pageSize) => {
    const generations: string[] = []
    let pageToken = ''
    do {
      const { body } = await acme.admin.get(path, { query: { pageSize: String(pageSize), pageToken } })
      generations.push(...entriesOf(body).map(({ generation }) => generation))
      pageToken = String(body['nextPageToken'])
    } while (pageToken !== '')
    expect(generations).toEqual(['4', '3', '2', '1'])
  })

  test('is open to a viewer and to an operator of another tenant, not to a runner', async () => {
    expect((await (await acme.as('viewer')).get(path)).status).toBe(200)
    expect((await rival.operator.get(path, { query: acme.query })).status).toBe(200)
    const refused = await (await acme.as('runner')).get(path)
    expect(refused).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })
})

describe('a request that is not valid', () => {
  test.each([
    ['a kind that is no name', '/v1/catalog/Persona/reviewer/history', ['ref.kind']],
    ['a name that is no name', '/v1/catalog/persona/Reviewer/history', ['ref.name']],
    ['an unknown provider', `${path}?ref.tenant.provider=ACME`, ['ref.tenant.provider']],
    ['an org that is too long', `${path}?ref.tenant.org=${'o'.repeat(256)}`, ['ref.tenant.org']],
    ['a page of nothing', `${path}?pageSize=0`, ['pageSize']],
    ['a page that is too large', `${path}?pageSize=1001`, ['pageSize']],
    ['a page token that is too long', `${path}?pageToken=${'t'.repeat(1025)}`, ['pageToken']],
    ['an unknown parameter', `${path}?generation=2`, ['generation']],
  ])('is refused: %s', async (_case, url, fields) => {
    const answer = await acme.admin.get(url)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect(answer.fields).toEqual(fields)
  })

  test.each([
    ['unreadable', 'nonsense'],
    ['of another resource', forgeToken(['history/persona/other', '2'])],
    ['of another list', forgeToken(['resources/persona', 'reviewer'])],
    ['without a number', forgeToken(['history/persona/reviewer', 'two'])],
  ])('is refused for a page token that is %s', async (_case, pageToken) => {
    const answer = await acme.admin.get(path, { query: { pageToken } })
    expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
  })
})

describe('what does not exist', () => {
  test('is a resource that never was', async () => {
    const answer = await acme.admin.get('/v1/catalog/persona/nobody/history')
    expect(answer).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
  })

  test('is a kind that the catalog lacks', async () => {
    const answer = await acme.admin.get('/v1/catalog/robot/r2/history')
    expect(answer).toMatchObject({ status: 404, reason: 'KIND_UNKNOWN' })
  })

  test('is indistinguishable from a resource of another tenant', async () => {
    const hidden = '/v1/catalog/persona/hidden/history'
    const missing = await acme.admin.get(hidden)
    expect(missing.status).toBe(404)
    expectSameAnswer(await acme.admin.get(hidden, { query: rival.query }), missing)
    expectSameAnswer(await acme.admin.get(hidden, { query: { 'ref.tenant.org': 'no-such-org' } }), missing)
  })
})
