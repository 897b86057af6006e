import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { scriptOf } from '@skein/testkit'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from '../cli-world.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

let world: CliWorld
let client: Client

beforeAll(async () => {
  world = await startCliWorld()
  client = new Client({ name: 'test', version: '1' })
  const env = { SKEIN_URL: world.baseUrl, SKEIN_API_KEY: world.apiKey, HOME: world.folder }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env }))
})
afterAll(async () => {
  await client.close()
  await world.close()
})

async function call(name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input })
  const [{ text = '' } = {}] = content as { text?: string }[]
  return isError === true ? { error: text } : (JSON.parse(text) as Record<string, unknown>)
}

test('an MCP client spawns an agent, waits for it, writes to it and reads what it did', async () => {
  const description = scriptOf({ do: 'say', text: 'Hello.' }, { do: 'ask', question: 'Which?' })
  expect(await call('spawn_agent', { description, name: 'driven' })).toMatchObject({ agent: 'shop/driven' })
  expect(await call('wait_for_agent', { agent: 'driven', seconds: 20 })).toMatchObject({
    reason: 'WAIT_REASON_WAITING',
    status: { needsInput: 'Which?' },
  })
  await call('send_message', { agent: 'driven', message: scriptOf({ do: 'finish' }) })
  expect(await call('wait_for_agent', { agent: 'driven', seconds: 20 })).toMatchObject({
    status: { runCount: '2' },
  })
  const { events } = (await call('read_events', { agent: 'driven' })) as { events: { type: string }[] }
  expect(events.map(({ type }) => type)).toContain('run.message')
  expect(await call('list_agents', { includeEnded: true })).toMatchObject({
    agents: [{ agent: 'shop/driven' }],
  })
})

test('an MCP client continues an agent that has ended', async () => {
  const description = scriptOf({ do: 'finish' })
  await call('spawn_agent', { description, name: 'again' })
  await call('wait_for_agent', { agent: 'again', seconds: 60 })
  expect(await call('send_message', { agent: 'again', message: 'x' })).toHaveProperty('error')
  const message = scriptOf({ do: 'ask', question: 'Go on?' })
  expect(await call('continue_agent', { agent: 'again', message })).toMatchObject({ agent: 'shop/again' })
  expect(await call('wait_for_agent', { agent: 'again', seconds: 60 })).toMatchObject({
    status: { needsInput: 'Go on?', runCount: '2' },
  })
})

test('the client is told what it did wrong, and can continue', async () => {
  expect(JSON.stringify(await call('agent_status', { agent: 'nobody' }))).toContain('error')
  expect(await call('send_message', { agent: 'driven' })).toEqual({ error: 'message is required.' })
  expect(await call('dance')).toEqual({ error: 'Unknown tool: dance.' })
  expect(await call('list_agents')).toHaveProperty('agents')
})

test('a client is told how to start, which tools are read-only and which are destructive', async () => {
  expect(client.getInstructions()).toContain('list_workspaces')
  const { tools } = await client.listTools()
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
  expect(hints.get('kill_agent')).toMatchObject({ destructiveHint: true })
  expect(hints.get('list_agents')).toMatchObject({ readOnlyHint: true })
  expect([...hints.values()].every((hint) => hint?.title !== undefined)).toBe(true)
})

test('a client can look up workspaces and personas instead of guessing', async () => {
  expect(await call('list_workspaces')).toMatchObject({
    workspaces: [{ name: 'default' }, { name: 'shop', repos: [] }],
  })
  expect(JSON.stringify(await call('list_personas'))).toContain('default')
})

test('an argument that a tool does not have is refused', async () => {
  const input = { description: 'Work.', agent: 'reviewer' }
  expect(await call('spawn_agent', input)).toEqual({
    error:
      'spawn_agent has no argument agent. It takes: description, name, workspace, persona, model, maxCost.',
  })
})
