import type { listDeliveries, ResponseOf } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { TestReceiver } from './receiver.ts'

let world: AgentWorld
let receiver: TestReceiver
let stop: () => Promise<void>

beforeAll(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
  receiver = await TestReceiver.start()
  stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
  must(await world.admin.write('integration', 'hook', { url: receiver.url, events: ['agent.spawned'] }))
})

beforeEach(() => {
  receiver.received.length = 0
  receiver.answer = () => ({ status: 200, body: 'thanks' })
})

afterAll(async () => {
  await stop()
  await world.close()
  await receiver.close()
})

const log = async (query: Record<string, string> = {}) =>
  must(await world.admin.get('/v1/integration/hook/deliveries', { query })).body as unknown as ResponseOf<
    typeof listDeliveries
  >

test('the log shows each request with its response', async () => {
  await world.spawn('logged')
  const { deliveries } = await waitFor(
    async () => {
      const found = await log()
      return found.deliveries.length > 0 && found
    },
    { what: 'an entry' },
  )
  expect(deliveries[0]).toMatchObject({
    agentId: { agent: ['logged'] },
    sequence: '1',
    type: 'agent.spawned',
    attempt: 1,
    status: 200,
    error: '',
    response: 'thanks',
  })
  expect(deliveries[0]?.webhookId).toBe(receiver.received[0]?.headers['webhook-id'])
})

test('pages of the log are complete and do not overlap', async () => {
  for (let index = 0; index < 5; index++) await world.spawn(`paged-${index}`)
  await waitFor(async () => (await log()).deliveries.length >= 6, { what: 'the entries' })
  const whole = await log()
  const ids: string[] = []
  let pageToken = ''
  do {
    const page = await log({ pageSize: '2', ...(pageToken !== '' && { pageToken }) })
    ids.push(...page.deliveries.map(({ id }) => id))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  expect(ids).toEqual(whole.deliveries.map(({ id }) => id))
})

test('the list says how each integration is doing', async () => {
  await waitFor(
    async () => {
      const { integrations } = must(await world.admin.get('/v1/integrations')).body as {
        integrations: Record<string, unknown>[]
      }
      return integrations[0]?.['waitingAgents'] === 0
    },
    { what: 'nothing to be waiting' },
  )
  const { integrations } = must(await world.admin.get('/v1/integrations')).body
  expect(integrations).toMatchObject([
    { name: 'hook', url: receiver.url, state: 'ACTIVE', failures: 0, nextAttemptTime: '' },
  ])
})

test('a test event arrives and is answered, whatever the filter says', async () => {
  const answer = must(await world.admin.post('/v1/integration/hook/test', {}))
  expect(answer.body).toMatchObject({ isDelivered: true, status: 200, error: '', response: 'thanks' })
  expect(receiver.received.map(({ json }) => json.type)).toEqual(['test'])
})

test('a test says why it failed', async () => {
  receiver.answer = () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } })
  const answer = must(await world.admin.post('/v1/integration/hook/test', {}))
  expect(answer.body).toMatchObject({
    isDelivered: false,
    status: 302,
    error: 'The receiver answered with status 302.',
  })
  expect(receiver.received).toHaveLength(1)
})

test('events of an agent are sent again with their ids, only those that the filter wants', async () => {
  const { agentId, run } = await world.running('again')
  await world.complete(run, { reason: 'finished' })
  await waitFor(() => receiver.received.length === 1, { what: 'the event' })
  const { body } = must(await world.admin.post('/v1/integration/hook/replay', { agentId }))
  expect(body).toMatchObject({ agents: 1 })
  await waitFor(() => receiver.received.length === 2, { what: 'the event again' })
  const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(second).toBe(first)
})

test('everything since a time is sent again, but not what is older', async () => {
  await world.spawn('before')
  await waitFor(() => receiver.received.length === 1, { what: 'the first event' })
  const sinceTime = new Date(world.server.engine.clock.now() + 1).toISOString()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await world.spawn('after')
  await waitFor(() => receiver.received.length === 2, { what: 'the second event' })
  must(await world.admin.post('/v1/integration/hook/replay', { sinceTime }))
  await waitFor(() => receiver.received.length >= 3, { what: 'the replay' })
  expect(receiver.sequencesOf('after')).toEqual([1, 1])
  expect(receiver.sequencesOf('before')).toEqual([1])
})

test.each([
  [{}, 'exactly one'],
  [{ deadLetters: true, sinceTime: '2026-01-01T00:00:00Z' }, 'exactly one'],
  [{ sinceTime: '2020-01-01T00:00:00Z' }, 'seven days'],
])('a replay of %j is refused', async (body, message) => {
  const answer = await world.admin.post('/v1/integration/hook/replay', body)
  expect(answer.status).toBe(400)
  expect(answer.text).toContain(message)
})

test('a request can be read as it was sent, without the values of secrets', async () => {
  must(await world.admin.write('secret', 'hooks-token', { value: 'hidden' }))
  const fields = { url: receiver.url, events: ['agent.spawned'], headers: { 'X-Token': 'hooks-token' } }
  must(await world.admin.write('integration', 'hook', fields))
  await world.spawn('read')
  const { deliveries } = await waitFor(
    async () => {
      const found = await log()
      return found.deliveries[0]?.agentId?.agent[0] === 'read' && found
    },
    { what: 'the entry' },
  )
  const [delivery] = deliveries
  const path = `/v1/integration/hook/deliveries/${delivery?.id}`
  const query = { time: delivery?.time ?? '' }
  const [sent] = receiver.received
  expect(sent?.headers['x-token']).toBe('hidden')
  const read = must(await world.admin.get(path, { query }))
  expect(read.body).toEqual({
    delivery,
    url: receiver.url,
    headers: {
      'x-token': '',
      'content-type': sent?.headers['content-type'],
      'webhook-id': sent?.headers['webhook-id'],
      'webhook-timestamp': sent?.headers['webhook-timestamp'],
    },
    body: sent?.body,
  })
  const viewer = await world.tenant.as('viewer', 'curious')
  expect((await viewer.get(path, { query })).status).toBe(403)
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  expect((await other.admin.get(path, { query })).status).toBe(404)
  must(await other.admin.write('integration', 'hook', { url: receiver.url }))
  expect(await other.admin.get(path, { query })).toMatchObject({ reason: 'DELIVERY_NOT_FOUND' })
  const later = { time: new Date(Date.parse(query.time) + 1000).toISOString() }
  expect(await world.admin.get(path, { query: later })).toMatchObject({ reason: 'DELIVERY_NOT_FOUND' })
  expect((await world.admin.get(path)).status).toBe(400)
})

test('a test event can be read too', async () => {
  must(await world.admin.post('/v1/integration/hook/test', {}))
  const [delivery] = (await log()).deliveries
  expect(delivery?.webhookId).toBe(receiver.received[0]?.headers['webhook-id'])
  const path = `/v1/integration/hook/deliveries/${delivery?.id}`
  const read = must(await world.admin.get(path, { query: { time: delivery?.time ?? '' } }))
  expect(read.body['body']).toBe(receiver.received[0]?.body)
})

test('an integration of another tenant is not found', async () => {
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  for (const path of ['deliveries', 'dead-letters']) {
    expect((await other.admin.get(`/v1/integration/hook/${path}`)).status).toBe(404)
  }
  for (const path of ['test', 'replay']) {
    expect(
      (await other.admin.post(`/v1/integration/hook/${path}`, { deadLetters: true })).status,
    ).toBeGreaterThanOrEqual(400)
  }
  expect(must(await other.admin.get('/v1/integrations')).body).toEqual({ integrations: [] })
})
