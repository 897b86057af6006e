import { once } from 'node:events'
import { request } from 'node:http'
import { waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { BodyMemory } from '../../src/gateway/body-memory.ts'
import { isParsable } from '../../src/gateway/check/json-size.ts'
import {
  recordGrant,
  startGateway,
  startUpstream,
  type GatewayWorld,
  type Upstream,
} from './gateway-world.ts'

const MIB = 1024 * 1024

let world: GatewayWorld | undefined
let upstream: Upstream | undefined
afterEach(async () => {
  await world?.close()
  await upstream?.close()
})

async function open(tokens: readonly string[]): Promise<GatewayWorld> {
  upstream = await startUpstream((asked, response) => {
    asked.resume()
    asked.once('end', () => response.setHeader('content-type', 'application/json').end('{"input_tokens":1}'))
  })
  world = await startGateway(upstream.url)
  for (const token of tokens) world.gateway.open(token, recordGrant())
  return world
}

/** A request of which only the head and these bytes have been sent. */
async function begin(token: string, bytes: number, headers: Readonly<Record<string, string>> = {}) {
  const url = `${world?.urls.anthropic}/v1/messages/count_tokens`
  const sent = request(url, { method: 'POST', headers: { 'x-api-key': token, ...headers } })
  sent.on('error', () => {})
  sent.write(Buffer.alloc(bytes, ' '))
  await once(sent, 'socket')
  return sent
}

describe('bodies', () => {
  test('of one agent are read one after the other', async () => {
    const { ask } = await open(['agent-token'])
    const held = await begin('agent-token', 10, { 'content-length': '1000' })
    const path = '/v1/messages/count_tokens'
    let isAnswered = false
    const next = ask('anthropic', { path }).then((answer) => {
      isAnswered = true
      return answer
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isAnswered).toBe(false)
    held.destroy()
    expect((await next).status).toBe(200)
  })

  test('that are large wait for those of others, and small ones do not', async () => {
    const { ask } = await open(['a', 'b', 'c', 'd', 'agent-token'])
    const whole = { 'content-length': String(32 * MIB) }
    const held = await Promise.all(['a', 'b', 'c', 'd'].map((token) => begin(token, 10, whole)))
    const path = '/v1/messages/count_tokens'
    expect((await ask('anthropic', { path })).status).toBe(200)
    let isAnswered = false
    const large = ask('anthropic', { path, body: { system: 'x'.repeat(2 * MIB) } }).then((answer) => {
      isAnswered = true
      return answer
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isAnswered).toBe(false)
    held[0]?.destroy()
    expect((await large).status).toBe(200)
    for (const each of held) each.destroy()
  })

  test('that are announced as too large are refused before they are sent', async () => {
    await open(['agent-token'])
    const sent = await begin('agent-token', 10, { 'content-length': String(33 * MIB) })
    const [answer] = (await once(sent, 'response')) as [{ statusCode: number }]
    expect(answer.statusCode).toBe(413)
    sent.destroy()
  })

  test('of a million tiny chunks take no more memory than their bytes', async () => {
    await open(['agent-token'])
    const sent = await begin('agent-token', 1)
    const before = process.memoryUsage.rss()
    // Of one byte each: "1\r\n \r\n".
    const chunks = Buffer.from('1\r\n \r\n'.repeat(100_000))
    for (let index = 0; index < 10; index += 1) {
      sent.socket?.write(chunks)
      if ((sent.socket?.writableLength ?? 0) > 0) await once(sent.socket ?? sent, 'drain')
    }
    expect((process.memoryUsage.rss() - before) / MIB).toBeLessThan(150)
    sent.destroy()
  })

  test.each([
    ['empty lists', `[${'[],'.repeat(300_000)}0]`, false],
    ['depth', `${'['.repeat(300)}${']'.repeat(300)}`, false],
    ['a long text', JSON.stringify({ a: '[,]{"'.repeat(500_000) }), true],
    ['an unfinished text', '"\\', true],
  ])('are only parsed when that can be done: %s', (_what, json, isFine) => {
    expect(isParsable(Buffer.from(json))).toBe(isFine)
  })
})

describe('a budget of bytes', () => {
  const never = new AbortController().signal

  test('is given out in order, all or nothing', async () => {
    const budget = new BodyMemory(10)
    const first = await budget.reserve(6, never)
    const order: string[] = []
    const second = budget.reserve(8, never).then((release) => (order.push('second'), release))
    const third = budget.reserve(1, never).then((release) => (order.push('third'), release))
    first?.()
    first?.()
    await Promise.all([second, third])
    expect(order).toEqual(['second', 'third'])
    ;(await second)?.()
    expect(await budget.reserve(9, never)).toBeDefined()
  })

  test('does not hold up those that come after one that gives up', async () => {
    const budget = new BodyMemory(10)
    await budget.reserve(6, never)
    const leaving = new AbortController()
    const large = budget.reserve(9, leaving.signal)
    let isServed = false
    void budget.reserve(2, never).then(() => (isServed = true))
    leaving.abort()
    expect(await large).toBeUndefined()
    await waitFor(() => isServed, { what: 'the small one' })
    expect(await budget.reserve(1, leaving.signal)).toBeUndefined()
  })
})
