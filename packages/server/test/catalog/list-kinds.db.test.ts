import { KINDS } from '@skein/contract'
import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SMALLEST } from './documents.ts'

let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

describe('list kinds', () => {
  test('names every kind, with its format and its schema', async () => {
    const { status, body } = await tenant.admin.get('/v1/catalog')
    expect(status).toBe(200)
    expect(body['kinds']).toHaveLength(KINDS.length)
    expect(body['kinds']).toContainEqual(
      expect.objectContaining({
        kind: 'persona',
        inputFormat: 'INPUT_FORMAT_MARKDOWN',
        bodyField: 'prompt',
        oneTimeSecret: '',
        schema: expect.objectContaining({ type: 'object' }) as object,
      }),
    )
  })

  test.each(Object.keys(SMALLEST))('has the kind %s', async (kind) => {
    const { body } = await tenant.admin.get('/v1/catalog')
    expect(body['kinds']).toContainEqual(expect.objectContaining({ kind }))
  })

  test.each(['viewer', 'member'] as const)('is open to a %s', async (role) => {
    expect((await (await tenant.as(role)).get('/v1/catalog')).status).toBe(200)
  })

  test('is closed to a runner', async () => {
    const answer = await (await tenant.as('runner')).get('/v1/catalog')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('is the same for every tenant, so it takes none', async () => {
    const answer = await tenant.admin.get('/v1/catalog', { query: tenant.query })
    expect(answer).toMatchObject({
      status: 400,
      reason: 'REQUEST_INVALID',
      fields: Object.keys(tenant.query),
    })
  })
})
