import type { AgentStatus } from '@skein/contract'
import { inlineScript, type SimulatorStep } from '@skein/simulator'
import type { TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROVIDER_KEYS, RunnerWorld } from './runner-world.ts'

const KEYS = { one: 'sk-of-tenant-one-0123456789', two: 'sk-of-tenant-two-0123456789' }
const REVOKED = 'sk-revoked-0123456789'
const CLAUDE = { models: ['claude-*'], defaultModel: 'claude-sonnet-5' }

let world: RunnerWorld
let one: TestTenant
let two: TestTenant

/** One runner for both tenants, with its own key. */
beforeAll(async () => {
  world = await RunnerWorld.start({}, { refusedKeys: [REVOKED] })
  one = world.tenant
  two = await world.server.createTenant('second')
  for (const tenant of [one, two]) {
    await must(tenant.admin.write('vm-profile', 'default', { cpus: 0, memoryMib: 0 }))
    await must(tenant.admin.write('pool', 'default', { sandbox: 'process', vmProfile: 'default' }))
  }
  const token = { account: 'robot', role: 'runner', pools: ['default'], allTenants: true }
  const { document } = await one.operator.write('token', 'for-all', token, { justification: 'a test' })
  await world.startRunner({ SKEIN_API_KEY: String(document['key']) })
})

afterAll(() => world.close())

async function must(sent: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await sent
  if (status !== 200) throw new Error(text)
}

async function bringKey(tenant: TestTenant, value: string): Promise<void> {
  await must(tenant.admin.write('secret', 'claude-key', { value }))
  await must(tenant.admin.write('backend', 'a', { ...CLAUDE, credential: 'claude-key' }))
}

async function runAgent(
  tenant: TestTenant,
  name: string,
  steps: readonly SimulatorStep[] = [{ tool: 'finish', input: { result: 'Done.' } }],
): Promise<AgentStatus> {
  const description = `I am ${name}.\n\n${inlineScript(steps)}`
  const spawned = await tenant.admin.post('/v1/agent/spawn', { agentId: { agent: [name] }, description })
  const { agentId } = spawned.body
  const headers = { prefer: 'wait=240' }
  const { body, text } = await tenant.admin.post('/v1/agent/wait', { agentId }, { headers })
  if (body['status'] === undefined) throw new Error(text)
  return body['status'] as AgentStatus
}

/** The keys that the model was asked with on behalf of the agent. */
const keysOf = (name: string): string[] => [
  ...new Set(
    world.simulator.requests
      .filter(({ body }) => JSON.stringify(body ?? '').includes(`I am ${name}.`))
      .map(({ apiKey }) => apiKey),
  ),
]

test('two tenants of one runner pay for themselves, and one without a key uses the runner’s', async () => {
  expect(await runAgent(two, 'guest')).toMatchObject({ phase: 'PHASE_COMPLETED' })
  expect(keysOf('guest')).toEqual([PROVIDER_KEYS.anthropic])
  await bringKey(one, KEYS.one)
  await bringKey(two, KEYS.two)
  const both = await Promise.all([runAgent(one, 'first'), runAgent(two, 'second')])
  expect(both.map(({ phase }) => phase)).toEqual(['PHASE_COMPLETED', 'PHASE_COMPLETED'])
  expect(keysOf('first')).toEqual([KEYS.one])
  expect(keysOf('second')).toEqual([KEYS.two])
})

test('the key is neither in the sandbox nor in what the run reports', async () => {
  await bringKey(one, KEYS.one)
  const shell = `env | grep -q tenant-one && echo LEAKED || echo clean; printf 'sk-of-%s\\n' tenant-one-0123456789`
  const steps = [{ shell }, { tool: 'finish', input: { result: 'Done.' } }]
  const { agentId } = await runAgent(one, 'curious', steps)
  const { body } = await one.admin.post('/v1/agent/timeline', { agentId })
  const timeline = JSON.stringify(body['events'])
  expect(timeline).toContain('clean')
  expect(timeline).not.toContain(KEYS.one)
  expect(await one.admin.read('secret', 'claude-key')).not.toHaveProperty('document.value')
})

test('a key that the provider refuses fails the run and names the secret; nobody else pays', async () => {
  await bringKey(one, REVOKED)
  const before = world.simulator.requests.length
  const { phase, error } = await runAgent(one, 'refused')
  expect(phase).toBe('PHASE_FAILED')
  expect(JSON.stringify(error)).toContain(
    'The provider rejected the key in the secret claude-key, which the backend a names',
  )
  const used = world.simulator.requests.slice(before).map(({ apiKey }) => apiKey)
  expect([...new Set(used)]).toEqual([REVOKED])
  await bringKey(one, KEYS.one)
})

test('a secret that a backend names cannot be deleted', async () => {
  const answer = await one.admin.delete('/v1/catalog/secret/claude-key')
  expect(answer).toMatchObject({ status: 400, reason: 'RESOURCE_REFERENCED' })
})
