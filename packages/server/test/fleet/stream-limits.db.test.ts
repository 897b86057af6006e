import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { startTestServer, waitFor, type TestServer } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'

let server: TestServer
afterEach(() => server.close())

async function expectRefused(response: IncomingMessage): Promise<void> {
  const body = await text(response)
  expect(response.statusCode).toBe(429)
  expect(body).toContain('RATE_LIMITED')
  expect(body).toContain('google.rpc.RetryInfo')
}

test('the open watches of a caller and of a tenant are limited; another tenant has its own limit', async () => {
  server = await startTestServer({ settings: { SKEIN_CALLER_STREAMS: '2', SKEIN_TENANT_STREAMS: '3' } })
  const world = await AgentWorld.in(server, await server.createTenant())
  const other = await AgentWorld.in(server, await server.createTenant())
  const agentId = await world.spawn('watched')
  const hangUp = new AbortController()
  const { signal } = hangUp
  const admin = await LiveClient.of(server, world.admin.key)
  const viewer = await LiveClient.of(server, (await world.tenant.as('viewer', 'v')).key)
  const stranger = await LiveClient.of(server, other.admin.key)
  const open = async (client: LiveClient, path: string, body: object) => {
    const response = await client.post(path, body, { signal })
    response.on('error', () => undefined)
    return response
  }
  const first = await open(admin, '/v1/agent/watch', { agentId })
  expect(first.statusCode).toBe(200)
  expect((await open(admin, '/v1/agents/watch', {})).statusCode).toBe(200)
  await expectRefused(await open(admin, '/v1/fleet/watch', {}))
  expect((await open(viewer, '/v1/agents/watch', { account: '*' })).statusCode).toBe(200)
  await expectRefused(await open(viewer, '/v1/agents/watch', {}))
  expect((await open(stranger, '/v1/agents/watch', {})).statusCode).toBe(200)
  first.destroy()
  await waitFor(
    async () => {
      const again = await open(viewer, '/v1/agents/watch', {})
      if (again.statusCode !== 200) again.resume()
      return again.statusCode === 200
    },
    { what: 'the place of a watch that ended' },
  )
  hangUp.abort()
  await waitFor(() => server.engine.wakeups.waiting === 0, { what: 'the streams to be let go' })
})

test('a change is read once, however many watch the same list', async () => {
  server = await startTestServer()
  const world = await AgentWorld.in(server, await server.createTenant())
  await world.spawn('first')
  const client = await LiveClient.of(server, world.admin.key)
  const hangUp = new AbortController()
  const streams = await Promise.all(
    Array.from({ length: 50 }, () => client.post('/v1/agents/watch', {}, { signal: hangUp.signal })),
  )
  await Promise.all(
    streams.map((stream) =>
      once(
        stream.on('error', () => undefined),
        'data',
      ),
    ),
  )
  const told = streams.map((stream) => once(stream, 'data'))
  const connections = { most: 0 }
  const timer = setInterval(() => {
    const { total, idle } = server.engine.database.connections
    connections.most = Math.max(connections.most, total - idle)
  }, 1)
  await world.spawn('second')
  await Promise.all(told)
  clearInterval(timer)
  expect(connections.most).toBeLessThan(10)
  hangUp.abort()
  await waitFor(() => server.engine.wakeups.waiting === 0, { what: 'the streams to be let go' })
})
