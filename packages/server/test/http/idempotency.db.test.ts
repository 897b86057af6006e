import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const DAY_MS = 24 * 3_600_000
const clock = new TestClock(Date.UTC(2026, 10, 15))
let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const spawn = (key: string, agentId = {}) =>
  tenant.admin.post('/v1/agent/spawn', { agentId, description: 'Work.' }, keyed(key))
const write = (name: string, key: string, prompt = 'x', client = tenant.admin) =>
  client.write('persona', name, { prompt }, {}, keyed(key))

async function versionsOf(kind: string, name: string): Promise<number> {
  const { body } = await tenant.admin.get(`/v1/catalog/${kind}/${name}/history`)
  return (body['entries'] as unknown[]).length
}

describe('a retry with the same key', () => {
  test('gets the same answer, marked as a replay, and has no second effect', async () => {
    const first = await write('again', 'again')
    expect(first.headers['idempotent-replay']).toBeUndefined()
    const retried = await write('again', 'again')
    expect(retried).toMatchObject({ status: 200, text: first.text })
    expect(retried.headers['idempotent-replay']).toBe('true')
    expect(await versionsOf('persona', 'again')).toBe(1)
  })

  test('gets the first answer even when the resource has changed since', async () => {
    const first = await write('changed', 'changed')
    await tenant.admin.write('persona', 'changed', { prompt: 'Newer.' })
    expect((await write('changed', 'changed')).text).toBe(first.text)
    expect((await tenant.admin.read('persona', 'changed')).document['prompt']).toBe('Newer.')
  })

  test('sent 20 times concurrently has one effect and one response', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => write('burst', 'burst')))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const replays = answers.filter(({ headers }) => headers['idempotent-replay'] === 'true')
    expect(replays).toHaveLength(19)
    expect(await versionsOf('persona', 'burst')).toBe(1)
  })

  test('of a delete finds it done, where without the key it would find nothing', async () => {
    await tenant.admin.write('persona', 'deleted', {})
    const path = '/v1/catalog/persona/deleted'
    expect((await tenant.admin.delete(path, keyed('deleted'))).status).toBe(200)
    const retried = await tenant.admin.delete(path, keyed('deleted'))
    expect(retried).toMatchObject({ status: 200, text: '{}' })
    expect(retried.headers['idempotent-replay']).toBe('true')
    expect((await tenant.admin.delete(path)).status).toBe(404)
  })

  test('of a refused write is refused in the same words, whatever has changed since', async () => {
    const document = { persona: 'later' }
    const send = (key: string) => tenant.admin.write('workspace', 'late', document, {}, keyed(key))
    const first = await send('late')
    expect(first).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
    expect(first.headers['idempotent-replay']).toBeUndefined()
    await tenant.admin.write('persona', 'later', {})
    const second = await send('late')
    expect(second).toMatchObject({ status: 400, text: first.text })
    expect(second.headers['idempotent-replay']).toBe('true')
    expect((await send('later')).status).toBe(200)
  })

  test('of a refused write may not ask for something else', async () => {
    await tenant.admin.write('workspace', 'other', { persona: 'nobody' }, {}, keyed('other'))
    const other = await tenant.admin.write('workspace', 'other', {}, {}, keyed('other'))
    expect(other.reason).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('sent 20 times concurrently is rejected once, and 19 times from the record', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tenant.admin.delete('/v1/catalog/persona/absent', keyed('absent'))),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
    expect(answers.filter(({ headers }) => headers['idempotent-replay'] === 'true')).toHaveLength(19)
  })

  test('is carried out when the refusal asked for it: nothing about it is recorded', async () => {
    await tenant.admin.write('quota', 'default', { liveAgents: 0 })
    expect(await spawn('quota')).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' })
    await tenant.admin.write('quota', 'default', { liveAgents: 10 })
    const second = await spawn('quota')
    expect(second.status).toBe(200)
    expect(second.headers['idempotent-replay']).toBeUndefined()
  })

  test('of a spawn gets the answer even when the workspace is gone', async () => {
    await tenant.admin.write('workspace', 'gone', {})
    const agentId = { workspace: 'gone', agent: ['brief'] }
    const first = await spawn('gone', agentId)
    expect(first.status).toBe(200)
    await tenant.admin.post('/v1/agent/kill', { agentId })
    expect((await tenant.admin.delete('/v1/catalog/workspace/gone')).status).toBe(200)
    expect(await spawn('gone', agentId)).toMatchObject({ status: 200, text: first.text })
  })

  test('of a refused spawn is refused even when its workspace is there by then', async () => {
    const agentId = { workspace: 'early', agent: ['early'] }
    const first = await spawn('early', agentId)
    expect(first.reason).toBe('REQUEST_INVALID')
    await tenant.admin.write('workspace', 'early', {})
    expect(await spawn('early', agentId)).toMatchObject({ status: 400, text: first.text })
  })

  test('of a token’s creation does not return the key again', async () => {
    const document = { account: 'ci', role: 'viewer' }
    const send = () => tenant.admin.write('token', 'once', document, {}, keyed('once'))
    const first = await send()
    expect(first.document['key']).toMatch(/^skn_/)
    const retried = await send()
    expect(retried.headers['idempotent-replay']).toBe('true')
    const { key: _key, ...rest } = first.document
    expect(retried.document).toEqual(rest)
  })
})

describe('the same key', () => {
  test('with another body is refused', async () => {
    await write('reused', 'reused', 'One.')
    const other = await write('reused', 'reused', 'Two.')
    expect(other).toMatchObject({ status: 400, reason: 'IDEMPOTENCY_KEY_REUSED', body: { code: 3 } })
    expect((await tenant.admin.read('persona', 'reused')).document['prompt']).toBe('One.')
  })

  test('with other parameters of a delete is refused', async () => {
    await tenant.admin.write('persona', 'params', {})
    const path = '/v1/catalog/persona/params'
    await tenant.admin.delete(`${path}?ifGenerationMatch=1`, keyed('params'))
    const other = await tenant.admin.delete(`${path}?ifGenerationMatch=2`, keyed('params'))
    expect(other).toMatchObject({ status: 400, reason: 'IDEMPOTENCY_KEY_REUSED' })
  })

  test('on another path is another command', async () => {
    await write('path-a', 'paths')
    const other = await write('path-b', 'paths')
    expect(other.headers['idempotent-replay']).toBeUndefined()
    expect((await tenant.admin.read('persona', 'path-b')).status).toBe(200)
  })

  test('with another method is another command', async () => {
    await write('methods', 'methods')
    const deleted = await tenant.admin.delete('/v1/catalog/persona/methods', keyed('methods'))
    expect(deleted.status).toBe(200)
    expect(deleted.headers['idempotent-replay']).toBeUndefined()
  })

  test('from another caller is another command', async () => {
    const colleague = await tenant.as('admin', 'grace')
    await write('callers', 'callers')
    const other = await write('callers', 'callers', 'x', colleague)
    expect(other).toMatchObject({ status: 200, body: { generation: '2' } })
    expect(other.headers['idempotent-replay']).toBeUndefined()
  })

  test('from another tenant is another command', async () => {
    const rival = await server.createTenant('rival')
    await write('tenants', 'tenants')
    const other = await write('tenants', 'tenants', 'x', rival.admin)
    expect(other).toMatchObject({ status: 200, body: { generation: '1' } })
    expect(other.headers['idempotent-replay']).toBeUndefined()
  })

  test('is a replay for 24 hours and a new command after them', async () => {
    await write('daily', 'daily')
    clock.advance(DAY_MS - 1)
    expect((await write('daily', 'daily')).headers['idempotent-replay']).toBe('true')
    clock.advance(1)
    const nextDay = await write('daily', 'daily')
    expect(nextDay).toMatchObject({ status: 200, body: { generation: '2' } })
    expect(nextDay.headers['idempotent-replay']).toBeUndefined()
    expect((await write('daily', 'daily')).text).toBe(nextDay.text)
  })

  test('of 255 printable characters is taken whole', async () => {
    const long = `${'k'.repeat(254)}~`
    await write('long', long)
    expect((await write('long', long)).headers['idempotent-replay']).toBe('true')
    expect((await write('long', `${'k'.repeat(254)}!`)).headers['idempotent-replay']).toBeUndefined()
  })
})

test('without a key every write is a new one', async () => {
  await tenant.admin.write('persona', 'unkeyed', {})
  expect((await tenant.admin.write('persona', 'unkeyed', {})).body['generation']).toBe('2')
})
