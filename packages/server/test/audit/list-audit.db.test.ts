import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgeToken } from '../catalog/documents.ts'
import { expectSameAnswer } from '../same-answer.ts'

const START = Date.UTC(2026, 10, 15, 9)
const HOUR_MS = 3_600_000
const clock = new TestClock(START)
let server: TestServer
let acme: TestTenant
let rival: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  clock.advance(HOUR_MS)
  await acme.admin.write('persona', 'one', {}, { justification: 'Why not.' })
  clock.advance(HOUR_MS)
  await acme.admin.write('pool', 'one', {}, {}, { headers: { 'x-request-id': 'the-very-one' } })
  clock.advance(HOUR_MS)
  await rival.operator.write(
    'persona',
    'two',
    {},
    { ref: { tenant: acme.tenant }, justification: 'Asked to.' },
  )
  clock.advance(HOUR_MS)
  await acme.admin.delete('/v1/catalog/persona/one')
})

afterAll(() => server.close())

interface Entry {
  operation: string
  kind: string
  name: string
}
const entriesOf = (body: Record<string, unknown>) => body['entries'] as Entry[]
const summaryOf = (body: Record<string, unknown>) =>
  entriesOf(body).map(({ operation, kind, name }) => `${operation} ${kind}/${name}`)
const at = (hours: number) => new Date(START + hours * HOUR_MS).toISOString()

describe('the audit log', () => {
  test('has every change of the tenant, newest first', async () => {
    const { status, body } = await acme.admin.get('/v1/audit')
    expect(status).toBe(200)
    expect(summaryOf(body)).toEqual([
      'deleteResource persona/one',
      'writeResource persona/two',
      'writeResource pool/one',
      'writeResource persona/one',
      'writeResource token/operator',
      'writeResource token/admin',
    ])
  })

  test('says who did it, with which token, when, why and in which request', async () => {
    const { body } = await acme.admin.get('/v1/audit?kind=pool')
    expect(entriesOf(body)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        time: at(2),
        operation: 'writeResource',
        kind: 'pool',
        name: 'one',
        generation: '1',
        ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
        account: 'ada',
        role: 'admin',
        token: 'admin',
        justification: '',
        requestId: 'the-very-one',
        address: '127.0.0.1',
        detail: '',
        times: '1',
      },
    ])
  })

  test('shows a tenant what an operator of the platform did there, and why', async () => {
    const { body } = await acme.admin.get('/v1/audit?name=two')
    expect(entriesOf(body)).toMatchObject([{ account: 'olga', role: 'operator', justification: 'Asked to.' }])
    expect(summaryOf((await rival.admin.get('/v1/audit?kind=persona')).body)).toEqual([])
  })

  test('records nothing of a write that was refused', async () => {
    const before = (await acme.admin.get('/v1/audit')).body['entries']
    await acme.admin.write('persona', 'bad', { colour: 'blue' })
    await acme.admin.write('persona', 'two', {}, { ifGenerationMatch: '9' })
    expect((await acme.admin.get('/v1/audit')).body['entries']).toEqual(before)
  })

  test.each([
    ['kind', { kind: 'persona' }, 3],
    ['name', { name: 'one' }, 3],
    ['account', { account: 'olga' }, 2],
    ['kind and name', { kind: 'persona', name: 'one' }, 2],
    ['start, which is included', { startTime: at(2) }, 3],
    ['end, which is not', { endTime: at(2) }, 3],
    ['a span in another time zone', { startTime: '2026-11-15T12:00:00+01:00', endTime: at(3) }, 1],
    ['something that never happened', { kind: 'robot' }, 0],
  ])('is filtered by %s', async (_filter, query, count) => {
    const { body } = await acme.admin.get('/v1/audit', { query })
    expect(entriesOf(body)).toHaveLength(count)
  })

  test.each([1, 2, 5])('comes whole and in order in pages of %i', async (pageSize) => {
    const seen: string[] = []
    let pageToken = ''
    do {
      const { body } = await acme.admin.get('/v1/audit', { query: { pageSize: String(pageSize), pageToken } })
      seen.push(...summaryOf(body))
      pageToken = String(body['nextPageToken'])
    } while (pageToken !== '')
    expect(seen).toEqual(summaryOf((await acme.admin.get('/v1/audit')).body))
  })

  test('is open to an operator of another tenant', async () => {
    const { status, body } = await rival.operator.get('/v1/audit', { query: acme.query })
    expect(status).toBe(200)
    expect(body['entries']).toEqual((await acme.admin.get('/v1/audit')).body['entries'])
  })

  test('is only as open to an operator as to the admin: nobody else reads it', async () => {
    for (const role of ['viewer', 'member', 'runner'] as const) {
      const answer = await (await rival.as(role)).get('/v1/audit')
      expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    }
  })
})

describe('a request that is not valid', () => {
  test.each([
    ['an unknown provider', 'ref.tenant.provider=ACME', ['ref.tenant.provider']],
    ['an org that is too long', `ref.tenant.org=${'o'.repeat(256)}`, ['ref.tenant.org']],
    ['an org with a NUL', 'ref.tenant.org=a%00', ['ref.tenant.org']],
    ['a page of nothing', 'pageSize=0', ['pageSize']],
    ['a page that is too large', 'pageSize=1001', ['pageSize']],
    ['a page token that is too long', `pageToken=${'t'.repeat(1025)}`, ['pageToken']],
    ['an operation that is too long', `operation=${'o'.repeat(64)}`, ['operation']],
    ['a kind that is too long', `kind=${'k'.repeat(64)}`, ['kind']],
    ['a name that is too long', `name=${'n'.repeat(1025)}`, ['name']],
    ['an account that is too long', `account=${'a'.repeat(256)}`, ['account']],
    ['NULs in the filters', 'kind=%00&name=%00&account=%00', ['kind', 'name', 'account']],
    ['a start that is no time', 'startTime=yesterday', ['startTime']],
    ['an end that is no real day', 'endTime=2026-02-31T00:00:00Z', ['endTime']],
    ['an unknown parameter', 'role=admin', ['role']],
  ])('is refused: %s', async (_case, query, fields) => {
    const answer = await acme.operator.get(`/v1/audit?${query}`)
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect(answer.fields).toEqual(fields)
  })

  const id = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
  test.each([
    ['unreadable', 'nonsense'],
    ['of another list', forgeToken(['resources/persona', 'one'])],
    ['without an id', forgeToken(['audit', '1794000000000'])],
    ['without a time', forgeToken(['audit', 'today', id])],
    ['of the wrong shape', forgeToken(['audit', `1794000000000 ${id}`])],
  ])('is refused for a page token that is %s', async (_case, pageToken) => {
    const answer = await acme.admin.get('/v1/audit', { query: { pageToken } })
    expect(answer).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
  })
})

test('another tenant’s audit log is indistinguishable from one that does not exist', async () => {
  const missing = await acme.admin.get('/v1/audit', { query: { 'ref.tenant.org': 'no-such-org' } })
  expect(missing).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
  expectSameAnswer(await acme.admin.get('/v1/audit', { query: rival.query }), missing)
})
