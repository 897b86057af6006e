import { createTransport } from '@skein/client'
import type { AgentId, Assignment } from '@skein/contract'
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { startTestServer, type TestClient, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Front } from '../../src/front/front.ts'
import { AgentApi } from '../../src/tools/agent-api.ts'
import { ToolsEndpoint } from '../../src/tools/tools-endpoint.ts'
import { MAX_REFUSED_FINISHES, TurnIntent } from '../../src/tools/turn-intent.ts'

let server: TestServer
let admin: TestClient
let runner: TestClient
let baseUrl: string
let frontUrl: string
const tools = new ToolsEndpoint()
const front = new Front({ tools })

beforeAll(async () => {
  server = await startTestServer()
  const tenant = await server.createTenant()
  admin = tenant.admin
  const token = { account: 'robot', role: 'runner', pools: ['default'] }
  const answer = await tenant.operator.write('token', 'runner', token, { justification: 'a test' })
  runner = tenant.client(String(answer.document['key']))
  baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = await front.listen()
  frontUrl = `http://127.0.0.1:${port}/tools`
})

afterAll(async () => {
  await front.close()
  await server.close()
})

interface Session {
  readonly agentId: AgentId
  readonly run: Assignment
  readonly intent: TurnIntent
  readonly client: Client
  /** The text of the answer; refusals begin with an exclamation mark. */
  call(tool: string, input?: Record<string, unknown>): Promise<string>
}

function onError(error: unknown): never {
  throw error
}

/** An agent in its turn, with a real MCP client. */
async function agentAtWork(name: string, fields: object = {}): Promise<Session> {
  const spawned = await admin.post('/v1/agent/spawn', {
    agentId: { agent: [name] },
    description: 'Work.',
    ...fields,
  })
  const agentId = spawned.body['agentId'] as AgentId
  const { body } = await runner.post('/v1/runner/poll', { capacity: 100 })
  const run = (body['runs'] as Assignment[]).find((each) => each.agentId.agent.join() === name)
  if (!run) throw new Error('The agent has a run')
  const intent = new TurnIntent()
  const transport = createTransport({ baseUrl, apiKey: run.runKey })
  const api = new AgentApi(transport, run.agentId)
  tools.open(`token-of-${name}`, { lease: run.lease, api, intent, onError })
  const { client } = await connectTo(`token-of-${name}`)
  return {
    agentId,
    run,
    intent,
    client,
    async call(tool, input = {}) {
      const { content, isError } = await client.callTool({ name: tool, arguments: input })
      const [first] = content as { text: string }[]
      return `${isError === true ? '! ' : ''}${first?.text}`
    },
  }
}

/** A real client, and the methods of all its requests. */
async function connectTo(token: string, mode: VersionNegotiationMode = 'legacy') {
  const methods: string[] = []
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(frontUrl), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: (url, init) => {
        const text = typeof init?.body === 'string' ? init.body : '{"method":"GET"}'
        methods.push((JSON.parse(text) as { method: string }).method)
        return fetch(url, init)
      },
    }),
  )
  return { client, methods }
}

const statusOf = async (agentId: AgentId, ...child: string[]) =>
  (await admin.post('/v1/agent/status', { agentId: { ...agentId, agent: [...agentId.agent, ...child] } }))
    .body

describe('the agent’s tools', () => {
  test('are listed with hints that spare a person every single approval', async () => {
    const { client } = await agentAtWork('lister')
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name).toSorted()).toEqual([
      'ask_for_input',
      'create_task',
      'finish',
      'list_children',
      'list_tasks',
      'message_child',
      'spawn_child',
      'stop_child',
      'update_task',
      'wait_for_children',
    ])
    for (const { annotations } of listed) expect(annotations).toMatchObject({ destructiveHint: false })
  })

  test('are listed after two requests if the program speaks the protocol without sessions', async () => {
    const { client: older } = await agentAtWork('newer')
    const { client, methods } = await connectTo('token-of-newer', { pin: '2026-07-28' })
    expect((await client.listTools()).tools).toEqual((await older.listTools()).tools)
    expect(methods).toEqual(['server/discover', 'tools/list'])
    const { content } = await client.callTool({ name: 'list_tasks', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: '{"tasks":[]}' }])
  })

  test('cannot be subscribed to, because their list never changes', async () => {
    await agentAtWork('subscriber')
    const { client } = await connectTo('token-of-subscriber', { pin: '2026-07-28' })
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/)
  })

  test('keep the checklist', async () => {
    const { call, agentId } = await agentAtWork('planner')
    const { id } = JSON.parse(await call('create_task', { subject: 'Think' })) as { id: string }
    expect(JSON.parse(await call('list_tasks'))).toMatchObject({
      tasks: [{ id, subject: 'Think', status: 'pending', isOpen: true }],
    })
    await call('update_task', { id, status: 'completed' })
    expect((await statusOf(agentId))['tasks']).toMatchObject([{ id, status: 'TASK_STATUS_COMPLETED' }])
  })

  test('explain a refusal so that the agent can put it right', async () => {
    const { call } = await agentAtWork('clumsy')
    expect(await call('create_task', {})).toBe('! subject is required.')
    expect(await call('update_task', { id: 'nope', status: 'completed' })).toMatch(/^! The service refused: /)
    expect(await call('update_task', { id: 'x', status: 'sleeping' })).toMatch(/^! status must be one of/)
    expect(await call('dance')).toMatch(/^! Unknown tool: dance/)
    expect(await call('wait_for_children')).toMatch(/^! You have no children/)
  })

  test('spawn, message, stop and end children', async () => {
    const { call, agentId } = await agentAtWork('boss', { maxCost: 5 })
    const { name } = JSON.parse(await call('spawn_child', { task: 'Paint the door blue', maxCost: 2 })) as {
      name: string
    }
    expect(name).toMatch(/^paint-the-door-[0-9a-f]{6}$/)
    expect(await statusOf(agentId, name)).toMatchObject({ description: 'Paint the door blue', maxCost: 2 })
    expect(await call('message_child', { name, message: 'Light blue.' })).toBe(`Sent to ${name}.`)
    expect((await statusOf(agentId, name))['followUps']).toHaveLength(2)
    expect(await call('stop_child', { name })).toBe(`${name} has no run in progress.`)
    expect(JSON.parse(await call('list_children'))).toMatchObject({ children: [{ name, phase: 'pending' }] })
    expect(await call('stop_child', { name, end: true })).toBe(`${name} has ended.`)
    expect((await statusOf(agentId, name))['phase']).toBe('PHASE_CANCELED')
  })

  test('declare how the turn ends', async () => {
    const { call, intent } = await agentAtWork('speaker')
    await call('ask_for_input', { question: 'Which colour?' })
    expect(intent.current).toEqual({ type: 'ask', question: 'Which colour?' })
    await call('spawn_child', { task: 'Help', name: 'helper' })
    await call('wait_for_children')
    expect(intent.current).toEqual({ type: 'await', children: ['helper'] })
    expect(await call('wait_for_children', { names: ['stranger'] })).toMatch(/^! Child not found: stranger/)
    await call('finish', { result: 'Done.' })
    expect(intent.current).toEqual({ type: 'finish', result: 'Done.' })
  })

  test('send a finish with open tasks back so often, then take it', async () => {
    const { call, intent } = await agentAtWork('hasty', { tasks: [{ id: 't1', subject: 'Run the tests' }] })
    for (let refusal = 0; refusal < MAX_REFUSED_FINISHES; refusal++) {
      expect(await call('finish', { result: 'Done.' })).toMatch(
        /^! These tasks are open:\n- Run the tests \(t1\)/,
      )
      // The service then completes the agent or says what is still open.
      expect(intent.current).toEqual({ type: 'finish', result: 'Done.' })
    }
    expect(await call('finish', { result: 'Done.' })).toMatch(/^Noted/)
  })

  test('do once what is sent twice', async () => {
    const { run, agentId } = await agentAtWork('stutterer')
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 77,
      method: 'tools/call',
      params: { name: 'create_task', arguments: { subject: 'Once' } },
    })
    const headers = {
      authorization: 'Bearer token-of-stutterer',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const answers = await Promise.all([1, 2, 3].map(() => fetch(frontUrl, { method: 'POST', headers, body })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await Promise.all(answers.map((answer) => answer.text()))
    expect((await statusOf(agentId))['tasks']).toHaveLength(1)
    expect(run.attempt).toBe(1)
  })

  test('are closed to a token that is unknown or no longer in use', async () => {
    await agentAtWork('gone')
    tools.close('token-of-gone')
    for (const token of ['token-of-gone', 'made-up', '']) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      expect((await fetch(frontUrl, { method: 'POST', headers, body: '{}' })).status).toBe(401)
    }
  })
})

/** The status of a request as it is sent here. */
async function ask(name: string, body: string): Promise<number> {
  const response = await fetch(frontUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer token-of-${name}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body,
  })
  await response.text()
  return response.status
}

describe('what one agent can send', () => {
  const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

  test('one call at a time, of a bounded size', async () => {
    await agentAtWork('sender')
    expect(await ask('sender', JSON.stringify(listTools))).toBe(200)
    expect(
      await ask('sender', JSON.stringify({ ...listTools, params: { x: 'x'.repeat(1024 * 1024) } })),
    ).toBe(413)
    expect(await ask('sender', JSON.stringify(Array.from({ length: 100 }, () => listTools)))).toBe(400)
    expect(await ask('sender', '{')).toBe(400)
    expect(await ask('sender', JSON.stringify(listTools))).toBe(200)
  })

  test('a flood of calls does not keep another agent from its tools', async () => {
    await agentAtWork('flooder')
    const other = await agentAtWork('patient')
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_tasks', arguments: {} },
    }
    const flood = Promise.all(
      Array.from({ length: 150 }, () => ask('flooder', JSON.stringify(call)).catch(() => 0)),
    )
    expect(await other.call('list_tasks')).not.toMatch(/^!/)
    expect(await flood).toContain(429)
    expect(await ask('flooder', JSON.stringify(listTools))).toBe(200)
  })
})
