import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { machineNow, waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import type { ProviderName } from '../../src/gateway/provider.ts'
import {
  PROGRAMS,
  PROVIDER_KEYS,
  recordGrant,
  startGateway,
  startUpstream,
  type GatewayWorld,
  type RecordedGrant,
  type Upstream,
} from './gateway-world.ts'
import {
  anthropicEnd,
  anthropicStart,
  anthropicStream,
  anthropicText,
  openaiStream,
  openaiText,
} from './streams.ts'

const counts = { input: 1_000, cacheRead: 200, cacheWrite: 50, output: 40 }
const metered = { inputTokens: 1_250, cachedInputTokens: 200, cacheWriteTokens: 50, outputTokens: 40 }
const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' }

interface Stage {
  readonly world: GatewayWorld
  readonly grant: RecordedGrant
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function stage(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Stage & { readonly upstream: Upstream }> {
  const upstream = await startUpstream((request, response) => {
    request.resume().once('end', () => listener(request, response))
  })
  closing.push(upstream.close)
  const world = await startGateway(upstream.url)
  closing.push(world.close)
  const grant = recordGrant()
  world.gateway.open('agent-token', grant)
  return { world, grant, upstream }
}

const beginnings: Readonly<Record<ProviderName, string>> = {
  anthropic: anthropicStart(counts) + anthropicText('x'.repeat(400)),
  openai: openaiText('x'.repeat(400)),
}

describe.each(['anthropic', 'openai'] as const)('a call to %s', (provider) => {
  test('that the provider cuts is cut for the program too, and counted as far as it went', async () => {
    const { world, grant } = await stage((_request, response) => {
      response.writeHead(200, STREAM)
      response.write(beginnings[provider], () => response.destroy())
    })
    const body = { model: PROGRAMS[provider].model, stream: true, metadata: { user_id: 'y'.repeat(4_000) } }
    const answer = await world.ask(provider, { body })
    await expect(answer.text()).rejects.toThrow('terminated')
    await waitFor(() => grant.usages.length === 1, { what: 'the usage' })
    const [usage] = grant.usages
    expect(usage).toMatchObject({ isComplete: false, outputTokens: 100, status: 200 })
    // What is sent says that nothing is to be stored.
    const bodyTokens = Math.ceil(JSON.stringify({ ...body, store: false }).length / 4)
    expect(usage?.inputTokens).toBe(provider === 'anthropic' ? 1_250 : bodyTokens)
    expect(usage?.costUsd).toBeGreaterThan(0)
  })

  test('that the program cuts reaches the provider within 100 ms, and is counted as far as it went', async () => {
    const { world, grant } = await stage((_request, response) => {
      response.once('close', () => delays.push(machineNow() - abortedAt))
      response.writeHead(200, STREAM).write(beginnings[provider])
    })
    const delays: number[] = []
    let abortedAt = 0
    // The median of some, because the machine may be busy with other things at any one moment.
    for (let count = 1; count <= 5; count += 1) {
      const abort = new AbortController()
      const answer = await world.ask(provider, { signal: abort.signal })
      await answer.body?.getReader().read()
      abortedAt = machineNow()
      abort.abort()
      await waitFor(() => delays.length === count && grant.usages.length === count, { what: 'the end' })
    }
    expect(delays.sort((one, other) => one - other)[2]).toBeLessThan(100)
    for (const usage of grant.usages) expect(usage).toMatchObject({ isComplete: false, outputTokens: 100 })
  })

  test('that the program cuts before the first byte counts its input', async () => {
    let isLeft = false
    const { world, grant } = await stage((_request, response) => {
      response.once('close', () => (isLeft = true))
      abort.abort()
    })
    const abort = new AbortController()
    const body = { metadata: { user_id: 'y'.repeat(8_000) } }
    await expect(world.ask(provider, { signal: abort.signal, body })).rejects.toThrow('aborted')
    await waitFor(() => isLeft && grant.usages.length === 1, { what: 'the end' })
    expect(grant.usages).toMatchObject([{ isComplete: false, outputTokens: 0, status: 0 }])
    expect(grant.usages[0]?.inputTokens).toBeGreaterThan(2_000)
  })

  test('that is cut after its last event is complete all the same', async () => {
    const { world, grant } = await stage((_request, response) => {
      response.writeHead(200, STREAM)
      const stream = provider === 'anthropic' ? anthropicStream('x', counts) : openaiStream('x', counts)
      response.write(stream, () => response.destroy())
    })
    await expect((await world.ask(provider)).text()).rejects.toThrow('terminated')
    expect(grant.usages).toMatchObject([{ ...metered, isComplete: true }])
  })

  test('that comes back byte by byte passes unchanged', async () => {
    const stream =
      provider === 'anthropic' ? anthropicStream('zażółć 🧵', counts) : openaiStream('zażółć 🧵', counts)
    const { world, grant } = await stage((_request, response) => {
      response.writeHead(200, STREAM)
      void (async () => {
        for (const byte of Buffer.from(stream)) {
          await new Promise((resolve) => response.write(Uint8Array.of(byte), resolve))
        }
        response.end()
      })()
    })
    expect(await (await world.ask(provider)).text()).toBe(stream)
    expect(grant.usages).toMatchObject([{ ...metered, isComplete: true }])
  })

  test('that comes back compressed against our wish is metered and passes unpacked', async () => {
    const stream = provider === 'anthropic' ? anthropicStream('x', counts) : openaiStream('x', counts)
    const { world, grant } = await stage((_request, response) => {
      response.writeHead(200, { ...STREAM, 'content-encoding': 'gzip' }).end(gzipSync(stream))
    })
    expect(await (await world.ask(provider)).text()).toBe(stream)
    expect(grant.usages).toMatchObject([{ ...metered, isComplete: true }])
  })

  test('to a provider that cannot be reached costs nothing, and says so', async () => {
    const { world, grant, upstream } = await stage(() => undefined)
    await upstream.close()
    closing.shift()
    const answer = await world.ask(provider)
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({
      error: { message: 'The model provider cannot be reached (ECONNREFUSED).' },
    })
    expect(grant.usages).toMatchObject([{ costUsd: 0, status: 0, isComplete: false }])
  })

  test('whose error repeats the key comes back without it', async () => {
    const key = PROVIDER_KEYS[provider]
    const { world } = await stage((_request, response) => {
      const body = JSON.stringify({ error: { type: 'authentication_error', message: `Bad key: ${key}` } })
      response.writeHead(401, {
        'content-type': 'application/json',
        'x-echo': `key=${key}`,
        'content-length': body.length,
      })
      response.end(body)
    })
    const answer = await world.ask(provider)
    const text = await answer.text()
    expect(answer.status).toBe(401)
    expect(text).toContain('Bad key: [redacted]')
    expect(text + JSON.stringify([...answer.headers])).not.toContain(key)
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })
})

test('a stream that nobody reads is not read ahead', async () => {
  let written = 0
  const { world, grant } = await stage((_request, response) => {
    response.writeHead(200, STREAM).write(anthropicStart(counts))
    const piece = anthropicText('x'.repeat(60_000))
    const pump = (): void => {
      while (written < 200_000_000 && response.write(piece)) written += piece.length
    }
    response.on('drain', pump)
    pump()
  })
  const abort = new AbortController()
  const answer = await world.ask('anthropic', { signal: abort.signal })
  const reader = answer.body?.getReader()
  await reader?.read()
  let before = -1
  await waitFor(
    () => {
      const isStill = written === before
      before = written
      return isStill
    },
    { what: 'the provider to be held back', intervalMs: 100 },
  )
  // What the buffers of the system take on the way; without back-pressure it would be all.
  expect(written).toBeLessThan(50_000_000)
  abort.abort()
  await waitFor(() => grant.usages.length === 1, { what: 'the usage' })
})

test('the first event arrives before the second is there', async () => {
  let upstreamAnswer: ServerResponse | undefined
  const { world, grant } = await stage((_request, response) => {
    response.writeHead(200, STREAM).write(anthropicStart(counts))
    upstreamAnswer = response
  })
  const answer = await world.ask('anthropic')
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(Buffer.from(first?.value ?? []).toString()).toContain('message_start')
  expect(grant.usages).toEqual([])
  upstreamAnswer?.end(anthropicEnd(counts))
  while (!(await reader?.read())?.done);
  expect(grant.usages).toMatchObject([{ ...metered, isComplete: true }])
})

test('a token that is opened again has its new grant from the next call on', async () => {
  const waiting: ServerResponse[] = []
  const { world, grant } = await stage((_request, response) => {
    response.writeHead(200, STREAM).write(anthropicStart(counts))
    waiting.push(response)
  })
  const first = await world.ask('anthropic')
  const newer = recordGrant()
  world.gateway.open('agent-token', newer)
  const asking = world.ask('anthropic')
  waiting[0]?.end(anthropicEnd(counts))
  await first.text()
  const second = await asking
  waiting[1]?.end(anthropicEnd(counts))
  await second.text()
  expect(grant.usages).toHaveLength(1)
  expect(newer.usages).toHaveLength(1)
})

test('a token has one paid call under way at a time, so that a budget is passed by one at most', async () => {
  const waiting: ServerResponse[] = []
  const { world, grant } = await stage((_request, response) => {
    response.writeHead(200, STREAM).write(anthropicStart(counts))
    waiting.push(response)
  })
  const asking = [1, 2, 3].map(() => world.ask('anthropic'))
  for (let call = 0; call < asking.length; call++) {
    await waitFor(() => waiting.length > call, { what: 'the next call' })
    expect(waiting).toHaveLength(call + 1)
    expect(grant.estimates).toHaveLength(call + 1)
    waiting[call]?.end(anthropicEnd(counts))
  }
  for (const answer of await Promise.all(asking)) await answer.text()
  expect(grant.usages).toHaveLength(3)
})

test('a request larger than any provider takes is refused without being kept', async () => {
  const { world, grant } = await stage(() => undefined)
  const answer = await world.ask('anthropic', {
    body: { metadata: { user_id: 'x'.repeat(65 * 1024 * 1024) } },
  })
  expect(answer.status).toBe(413)
  expect(grant).toMatchObject({ usages: [], estimates: [] })
})
