import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { recordGrant, startGateway, startUpstream, type GatewayWorld } from './gateway-world.ts'
import { anthropicStart, openaiText } from './streams.ts'

const counts = { input: 1_000, cacheRead: 200, cacheWrite: 50, output: 40 }
const BEGINNINGS = { anthropic: anthropicStart(counts), openai: openaiText('x'.repeat(400)) }

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function openGateway(url: string, timeouts: Parameters<typeof startGateway>[2]) {
  const world: GatewayWorld = await startGateway(url, ['anthropic', 'openai'], timeouts)
  closing.push(world.close)
  const grant = recordGrant()
  world.gateway.open('agent-token', grant)
  return { world, grant }
}

/** Accepts connections and says nothing, not even the first words of TLS. */
async function startMute(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(['anthropic', 'openai'] as const)('a call to %s', (provider) => {
  test('ends when no connection comes about', async () => {
    const { world, grant } = await openGateway(`https://${await startMute()}`, { connectMs: 100 })
    const response = await world.ask(provider)
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('ETIMEDOUT')
    expect(grant.usages).toHaveLength(1)
  })

  test('ends when the provider does not answer, and its prompt counts', async () => {
    const { world, grant } = await openGateway(`http://${await startMute()}`, { answerMs: 100 })
    const response = await world.ask(provider, { body: { metadata: {} } })
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('ETIMEDOUT')
    expect(grant.usages).toHaveLength(1)
    expect(grant.usages[0]?.inputTokens).toBeGreaterThan(0)
  })

  test('ends when the provider falls silent in the middle of its answer', async () => {
    const upstream = await startUpstream((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(BEGINNINGS[provider])
    })
    closing.push(upstream.close)
    const { world, grant } = await openGateway(upstream.url, { idleMs: 100 })
    const response = await world.ask(provider)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
    await waitFor(() => grant.usages.length === 1, { what: 'the usage to be told' })
    expect(grant.usages[0]).toMatchObject({ isComplete: false })
  })
})
