import { afterEach, beforeEach, expect, test } from 'vitest'
import { Front } from '../../src/front/front.ts'
import type { AgentApi } from '../../src/tools/agent-api.ts'
import { ToolsEndpoint } from '../../src/tools/tools-endpoint.ts'
import { TurnIntent } from '../../src/tools/turn-intent.ts'

const tools = new ToolsEndpoint()
let front: Front
let errors: unknown[]
let url: string

beforeEach(async () => {
  errors = []
  front = new Front({ tools })
  const { port } = await front.listen()
  url = `http://127.0.0.1:${port}/tools`
})
afterEach(() => front.close())

function open(listTasks: () => Promise<unknown>): void {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the only call that these tests make
  const api = { listTasks } as unknown as AgentApi
  tools.open('token', {
    lease: 'lease',
    api,
    intent: new TurnIntent(),
    onError: (error) => errors.push(error),
  })
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function call(params: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: 'Bearer token',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return { status: answer.status, text: await answer.text() }
}

test.each([
  ['with sessions', {}, {}],
  [
    'without sessions',
    { _meta: META },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_tasks' },
  ],
])(
  'in the protocol %s, an agent gets advice, and only the log the reason of an error',
  async (_how, meta, headers) => {
    const error = new TypeError('secret internal detail')
    open(() => Promise.reject(error))
    const { status, text } = await call({ name: 'list_tasks', arguments: {}, ...meta }, headers)
    expect(status).toBe(200)
    expect(text).toContain('"isError":true')
    expect(text).toContain('The tool failed. Try once more.')
    expect(text).not.toContain('secret')
    expect(errors).toEqual([error])
  },
)

test('what a program does wrong is told to the program, not to the log', async () => {
  open(() => Promise.reject(new Error('never called')))
  expect(await call({ name: 'dance' })).toMatchObject({ status: 200 })
  expect(await call({}, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
  expect(await call({}, { 'mcp-protocol-version': '2099-01-01' })).toMatchObject({ status: 400 })
  expect(errors).toEqual([])
})
