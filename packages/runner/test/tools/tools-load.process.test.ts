import { Agent, request as send } from 'node:http'
import { LongestTick, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Front } from '../../src/front/front.ts'
import type { AgentApi } from '../../src/tools/agent-api.ts'
import { ToolsEndpoint } from '../../src/tools/tools-endpoint.ts'
import { TurnIntent } from '../../src/tools/turn-intent.ts'

const MAX_TICK_MS = 100

const tools = new ToolsEndpoint()
let arrived = 0
const front = new Front({
  tools: {
    knownToken: (request) => tools.knownToken(request),
    turnAway: (request, response) => tools.turnAway(request, response),
    handle: (request, response, path) => {
      arrived += 1
      return tools.handle(request, response, path)
    },
  },
})
const connections = new Agent({ keepAlive: true })
let port: number
/** What ends each call of `list_tasks`. */
const running = new Set<() => void>()

beforeAll(async () => {
  ;({ port } = await front.listen())
})
afterAll(async () => {
  connections.destroy()
  await front.close()
})

/** A call that goes on until a test ends it. */
function listTasks(): Promise<unknown> {
  return new Promise((resolve) => {
    const end = () => {
      running.delete(end)
      resolve({ tasks: [], openTaskIds: [] })
    }
    running.add(end)
  })
}

function open(token: string): void {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the only call that these tests make
  const api = { listTasks } as unknown as AgentApi
  tools.open(token, { lease: token, api, intent: new TurnIntent(), onError: () => {} })
}

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [index.toString(36).padStart(4, 'a'), 1]))
const callOf = (method: string, params: object) =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))

interface Answer {
  readonly status: number
  readonly text: string
}

/** Until the answer, or until the client is gone. */
function ask(
  token: string,
  body: Buffer,
  { signal, headers }: { readonly signal?: AbortSignal; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = send(
      {
        port,
        path: '/tools',
        method: 'POST',
        ...(!signal && { agent: connections }),
        ...(signal && { signal, agent: false }),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': body.length,
          ...headers,
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })
}

test.each([
  ['keys beside the call', callOf('tools/list', { _meta: keys(95_000) }), 413],
  ['a list of what a client can be shown as', initialize(Array.from({ length: 400_000 }, () => 1)), 413],
  ['names of arguments', callOf('tools/call', { name: 'x', arguments: keys(95_000) }), 413],
  ['keys of one argument', callOf('tools/call', { name: 'x', arguments: { a: keys(95_000) } }), 413],
  ['as many keys beside the call as are accepted', callOf('tools/list', { _meta: keys(190) }), 200],
  ['lists in as many lists', callOf('tools/call', { name: 'x', arguments: nest(90) }), 200],
  ['as many keys as are accepted', callOf('tools/call', { name: 'x', arguments: { a: keys(9_900) } }), 200],
  ['quotation marks in a text', callOf('tools/list', { _meta: { a: '"'.repeat(500_000) } }), 200],
])('requests with %s do not block the runner', async (what, body, status) => {
  open(what)
  await ask(what, body)
  const tick = new LongestTick()
  const answers = Promise.all(
    Array.from({ length: 16 }, async () => {
      // Most wait for their turn by now, which can take longer than this test.
      const waiting = AbortSignal.timeout(700)
      return ask(what, body, { signal: waiting }).then(
        (answer) => answer.status,
        () => 0,
      )
    }),
  )
  const statuses = new Set(await answers)
  tick.stop()
  expect(tick.takeMs()).toBeLessThan(MAX_TICK_MS)
  expect(statuses).toContain(status)
  statuses.delete(0)
  statuses.delete(429)
  expect([...statuses]).toEqual([status])
})

test('a request with too many parts is told how many are accepted', async () => {
  open('curious')
  const { text } = await ask('curious', callOf('tools/list', { _meta: keys(300) }))
  expect(text).toMatch(/^The request has too many parts\. Send at most 10000 keys .* 200 of them outside/)
})

test('an output schema of the largest size is accepted', async () => {
  open('schemer')
  const properties = Object.fromEntries(
    Array.from({ length: 2_200 }, (_, index) => [`field${index}`, { type: 'string' }]),
  )
  const body = callOf('tools/call', { name: 'x', arguments: { outputSchema: { properties } } })
  expect(body.length).toBeGreaterThan(64_000)
  expect(await ask('schemer', body)).toMatchObject({ status: 200 })
})

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MODERN = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'list_tasks',
}

test.each([
  ['with sessions', {}, {}],
  ['without sessions', { _meta: META }, MODERN],
])(
  'in the protocol %s, calls of clients that disconnect count until they end',
  async (what, meta, headers) => {
    open(what)
    const body = callOf('tools/call', { name: 'list_tasks', arguments: {}, ...meta })
    const listTools = callOf('tools/list', {})
    for (let round = 0; round < 2; round += 1) {
      arrived = 0
      const leaving = new AbortController()
      const gone = Array.from({ length: 7 }, () => ask(what, body, { signal: leaving.signal, headers }))
      const settled = Promise.allSettled(gone)
      await waitFor(() => arrived === 7 && running.size >= 7, { what: 'the calls' })
      expect(await ask(what, listTools)).toMatchObject({ status: 200 })
      leaving.abort()
      expect((await settled).every(({ status }) => status === 'rejected')).toBe(true)
    }
    arrived = 0
    const last = ask(what, body, { headers })
    await waitFor(() => arrived === 1, { what: 'the last call' })
    expect(await ask(what, listTools)).toMatchObject({ status: 200 })
    expect(running.size).toBe(8)
    for (const end of running) end()
    await waitFor(() => running.size > 0, { what: 'the call that waited' })
    expect(running.size).toBe(1)
    for (const end of running) end()
    expect(await last).toMatchObject({ status: 200 })
  },
)

function initialize(icons: readonly unknown[]): Buffer {
  const clientInfo = { name: 'c', version: '1', icons }
  return callOf('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
}

function nest(depth: number): unknown {
  return depth === 0 ? 1 : { a: nest(depth - 1) }
}
