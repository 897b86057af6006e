import { setTimeout as pause } from 'node:timers/promises'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { acpBackend } from '../../src/backends/acp/acp-backend.ts'
import { LIMIT_PATIENCE_MS, type TurnLimits, type TurnResult } from '../../src/backends/backend.ts'
import { Bench } from './conformance/bench.ts'
import { Stage } from './conformance/stage.ts'
import type { AgentOptions, TestAgent } from './conformance/test-agent.ts'

const script = fileURLToPath(new URL('acp-agent.ts', import.meta.url))
const backend = acpBackend({ name: 'other', command: execPath, args: [script] })

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open(
    {
      name: 'ACP',
      openBackend: () => backend,
      model: 'any',
      dialect: {
        gatewayPath: '',
        programName: 'node',
        contextLength: {},
        wire: [],
        hostileFiles: () => ({}),
      },
      sandboxLevels: ['process'],
    },
    'process',
  )
})
afterAll(() => stage.close())

let bench: Bench
beforeEach(() => {
  bench = new Bench(stage)
})
afterEach(() => bench.close())

function open(options: AgentOptions = {}): Promise<TestAgent> {
  return bench.openAgent({ backend, ...options })
}

/** The test agent's prompt says what to do. */
function start(agent: TestAgent, lines: readonly string[], limits: Partial<TurnLimits> = {}) {
  return agent.start([], { words: lines.join('\n'), limits })
}

async function run(
  agent: TestAgent,
  lines: readonly string[],
  limits: Partial<TurnLimits> = {},
): Promise<TurnResult> {
  return start(agent, lines, limits).result
}

test('thoughts, messages and commands arrive whole and in order', async () => {
  const agent = await open()
  const { events, result } = start(agent, [
    'think A riddle.',
    'say Let me look.',
    'shell echo found',
    'say It is there.',
  ])
  expect(await result).toMatchObject({
    status: 'completed',
    text: 'It is there.',
    session: { backend: 'other', id: 'session-1' },
  })
  const use = { id: 'call-1', tool: 'shell', input: '{"command":"echo found"}' }
  expect(events).toEqual([
    { type: 'started', session: { backend: 'other', id: 'session-1', transcript: '' }, model: 'any' },
    { type: 'thinking', text: 'A riddle.' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-started', ...use },
    { type: 'tool-ended', ...use, output: 'found\n', isError: false },
    { type: 'text', text: 'It is there.' },
  ])
})

test('instructions come before the first prompt, and only there', async () => {
  const agent = await open({ setup: { instructions: 'say Instructed.' } })
  expect(await run(agent, ['think nothing'])).toMatchObject({ text: 'Instructed.' })
  expect(await run(agent, ['think nothing'])).toMatchObject({ status: 'completed', text: '' })
  expect(agent.startsOfProgram).toBe(1)
})

test('tools of ours are called with the token of the agent', async () => {
  const agent = await open()
  expect(await run(agent, [`note ${agent.id}`])).toMatchObject({ status: 'completed' })
  expect(stage.tools.calls).toContainEqual({ token: agent.toolsToken, text: agent.id })
})

test('an agent that cannot reach our tools does not begin', async () => {
  const agent = await open({
    backend: acpBackend({ name: 'other', command: execPath, args: [script, 'without-tools'] }),
  })
  expect(await run(agent, ['say Never said.'])).toMatchObject({
    status: 'failed',
    error: { kind: 'tools-unavailable' },
  })
  expect(agent.program.isAlive).toBe(false)
})

test('permission is given', async () => {
  expect(await run(await open(), ['ask'])).toMatchObject({ status: 'completed', text: 'yes' })
})

test('an interrupt ends the command, and the next turn works', async () => {
  const agent = await open()
  const { turn, result } = start(agent, ['shell touch started; exec tail -f /dev/null'])
  await agent.waitForFile('started')
  await turn.interrupt()
  expect(await result).toMatchObject({ status: 'interrupted' })
  await agent.waitForNone('tail')
  expect(await run(agent, ['say Again.'])).toMatchObject({ status: 'completed', text: 'Again.' })
})

test('an agent that does not heed an interrupt is ended by force at its time limit, not before', async () => {
  const agent = await open()
  const { turn, result } = start(agent, ['deaf'], { wallMs: 10_000 })
  await agent.waitForFile('deaf')
  await turn.interrupt()
  expect(await Promise.race([result, pause(2 * LIMIT_PATIENCE_MS, 'still running')])).toBe('still running')
  expect(await result).toMatchObject({ status: 'interrupted' })
  expect(agent.program.isAlive).toBe(false)
  await agent.waitForNone()
})

test('closing ends the turn as killed, with every process', async () => {
  const agent = await open()
  const { result } = start(agent, ['shell touch started; tail -f /dev/null'])
  await agent.waitForFile('started')
  await agent.program.close()
  expect(await result).toMatchObject({ status: 'killed' })
  expect(agent.processes()).toEqual([])
})

test.for([{ wallMs: 1_500 }, { idleMs: 1_500 }])(
  'the limit %o ends the turn and the agent',
  async (limits) => {
    const agent = await open()
    expect(await run(agent, ['hang'], limits)).toMatchObject({ status: 'failed', error: { kind: 'timeout' } })
    expect(agent.program.isAlive).toBe(false)
  },
)

test('a crash is reported with the agent’s last output, without its secrets', async () => {
  const agent = await open()
  const result = await run(agent, [`exit Lost ${agent.toolsToken}`])
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'crash' } })
  expect(JSON.stringify(result)).toContain('code 3. Lost [secret]"')
  expect(agent.program.isAlive).toBe(false)
})

test.for([
  ['fail The provider answered 429', 'rate-limit'],
  ['fail Something broke', 'protocol'],
  ['refuse', 'refused'],
] as const)('"%s" fails the turn as "%s"', async ([line, kind]) => {
  const agent = await open()
  expect(await run(agent, [line])).toMatchObject({ status: 'failed', error: { kind } })
  expect(agent.program.isAlive).toBe(true)
})

test('an output is requested, checked, and requested again once', async () => {
  const outputSchema = { type: 'object', required: ['verdict'] }
  const agent = await open({ setup: { outputSchema } })
  expect(await run(agent, ['say {"verdict":"good"}'])).toMatchObject({
    status: 'completed',
    output: { verdict: 'good' },
  })
  // Asked again, the test agent finds nothing to do in what it is told.
  expect(await run(agent, ['say {}'])).toMatchObject({
    status: 'failed',
    error: { kind: 'output-invalid' },
  })
})

test.for([
  [{ effort: 'high' }, 'bad-request'],
  [{ tier: 'fast' }, 'bad-request'],
  [{ fastMode: true }, 'bad-request'],
  [{ session: { backend: 'other', id: 'old', transcript: '' } }, 'session-lost'],
] as const)('%o is refused before anything is started', async ([setup, kind]) => {
  const agent = await open({ setup })
  expect(await run(agent, ['say Never said.'])).toMatchObject({ status: 'failed', error: { kind } })
  expect(agent.startsOfProgram).toBe(0)
})

test('a missing program is reported before and at the first turn', async () => {
  const missing = acpBackend({ name: 'other', command: '/nowhere/to/be/found', args: [] })
  expect(await missing.probe()).toMatchObject({ isUsable: false })
  const agent = await open({ backend: missing })
  expect(await run(agent, ['say Never said.'])).toMatchObject({
    status: 'failed',
    error: { kind: 'program-missing' },
  })
})

test('a program that speaks another protocol is abandoned', async () => {
  const agent = await open({
    backend: acpBackend({ name: 'other', command: execPath, args: ['-e', 'console.log("Hello")'] }),
  })
  expect(await run(agent, ['say Never said.'])).toMatchObject({ status: 'failed', error: { kind: 'crash' } })
})
