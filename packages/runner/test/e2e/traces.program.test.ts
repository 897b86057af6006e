import { inlineScript } from '@skein/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { PROVIDER_KEYS } from './runner-world.ts'
import { TracedWorld, toLines } from './traced-world.ts'

let traced: TracedWorld

beforeAll(async () => {
  traced = await TracedWorld.start()
})

afterAll(() => traced.close())

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = `00-${TRACE_ID}-00f067aa0ba902b7-01`

describe.each(BACKENDS)('backend $backend', ({ backend, model }) => {
  const name = `traced-${backend}`

  test('a run is one trace, from the caller through command, SQL and queue to model calls and tools', async () => {
    const runner = await traced.startRunner()
    const traceId = TRACE_ID.replace(/^4/, backend)
    await traced.spawn(
      name,
      [
        { shell: 'echo confidential-output' },
        { tool: 'create_task', input: { subject: 'confidential-task' } },
        { say: 'confidential-answer' },
      ],
      CALLER.replace(TRACE_ID, traceId),
      { model },
    )
    const run = await traced.runSpan(name)
    await runner.stop()
    expect(run).toMatchObject({
      traceId,
      service: 'skein-runner',
      links: [],
      attributes: { 'skein.workspace': 'shop', 'skein.end_reason': 'rested' },
    })
    expect(traced.ancestry(run)).toEqual(['run', 'assign run', 'POST /v1/agent/spawn'])
    const spans = traced.inTrace(run)
    const command = spans.find((span) => span.name === 'POST /v1/agent/spawn')
    expect(command).toMatchObject({ parentSpanId: '00f067aa0ba902b7', service: 'skein-server' })
    const named = (wanted: string) => spans.filter((span) => span.name === wanted)
    const [chat] = named(`chat ${model}`)
    expect(chat).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': backend === 'a' ? 'anthropic' : 'openai',
        'gen_ai.request.model': model,
      },
    })
    expect(Number(chat?.attributes['gen_ai.usage.input_tokens'])).toBeGreaterThan(0)
    expect(chat && traced.ancestry(chat)).toEqual([
      `chat ${model}`,
      'invoke_agent default',
      'run',
      'assign run',
      'POST /v1/agent/spawn',
    ])
    const tools = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool')
    expect(tools.filter(({ kind }) => kind === 1).length).toBeGreaterThanOrEqual(2)
    for (const tool of tools)
      expect(traced.ancestry(tool).slice(1, 3)).toEqual(['invoke_agent default', 'run'])
    const [ours] = named('tools/call create_task')
    expect(ours).toBeDefined()
    const [task] = named('POST /v1/agent/tasks/create')
    expect(task && traced.ancestry(task)[1]).toBe('tools/call create_task')
    const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
    const writes = statements
      .filter((span) => span.name === 'write_change')
      .map((span) => traced.ancestry(span))
    expect(writes).toContainEqual(['write_change', 'change agents', 'POST /v1/agent/spawn'])
    expect(writes).toContainEqual(['write_change', 'change agents', 'assign run', 'POST /v1/agent/spawn'])
    for (const step of ['open workspace', 'prepare sandbox', 'save work', 'POST /v1/runner/complete']) {
      expect(named(step).map((span) => traced.ancestry(span)[1])).toContain('run')
    }
    // Only one root: everything else has its parent in this trace.
    const ids = new Set(spans.map(({ spanId }) => spanId))
    expect(spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([command])
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)

    for (const line of [...toLines(runner.output()), ...traced.serverLines]) {
      if (line['agent'] !== name || line['runId'] !== '1') continue
      expect(line).toMatchObject({ trace_id: traceId })
    }
    const messages = traced.serverLines.filter(({ trace_id }) => trace_id === traceId).map(({ msg }) => msg)
    expect(messages).toEqual(
      expect.arrayContaining(['a run was queued', 'a run was assigned', 'a run ended']),
    )
    const answered = traced.serverLines.find(
      ({ trace_id, operation }) => trace_id === traceId && operation === 'completeRun',
    )
    expect(answered).toMatchObject({ runId: '1', attempt: 1 })
  })
})

test('a message sent during a run starts a run with its own trace, which links to the command that sent it', async () => {
  const runner = await traced.startRunner()
  const agentId = await traced.spawn('busy', [{ shell: 'touch begun; sleep 3' }, { say: 'Done.' }])
  await traced.world.waitUntil(
    'the turn',
    async () => (await traced.world.events(agentId, 'run.tool-started')).length > 0,
  )
  await traced.send(agentId, [{ say: 'Done as well.' }], CALLER)
  const [first, second] = [await traced.runSpan('busy'), await traced.runSpan('busy', '2')]
  await runner.stop()
  const begin = traced.inTrace(second).find(({ parentSpanId }) => !parentSpanId)
  expect(begin).toMatchObject({ name: 'queue run', kind: 4 })
  expect(begin?.links.map(({ traceId }) => traceId)).toEqual([first.traceId])
  const [link, ...more] = second.links
  expect(more).toEqual([])
  const sent = traced.collector.spans.find(({ spanId }) => spanId === link?.spanId)
  expect(sent).toMatchObject({ name: 'POST /v1/agent/queue', traceId: TRACE_ID })
  expect(new Set([first.traceId, second.traceId, TRACE_ID]).size).toBe(3)
  const lines = [...toLines(runner.output()), ...traced.serverLines].filter(({ agent }) => agent === 'busy')
  expect(lines.filter(({ runId }) => runId === '2').length).toBeGreaterThanOrEqual(5)
  for (const line of lines)
    expect(line['trace_id']).toBe(line['runId'] === '2' ? second.traceId : first.traceId)
})

test('a child’s run links to the command of its parent, and the run that its end starts links to the child', async () => {
  const runner = await traced.startRunner()
  const task = `What colour?\n\n${inlineScript([{ say: 'It is blue.' }])}`
  await traced.spawn('mother', [
    { tool: 'spawn_child', input: { name: 'child', task } },
    { tool: 'wait_for_children' },
    { say: 'I wait.' },
  ])
  const [mother, child, woken] = [
    await traced.runSpan('mother'),
    await traced.runSpan('mother/child'),
    await traced.runSpan('mother', '2'),
  ]
  await runner.stop()
  expect(new Set([mother.traceId, child.traceId, woken.traceId]).size).toBe(3)
  const [spawned] = child.links
  const command = traced.collector.spans.find(({ spanId }) => spanId === spawned?.spanId)
  expect(command && traced.ancestry(command).slice(0, 4)).toEqual([
    'POST /v1/agent/spawn',
    'tools/call spawn_child',
    'invoke_agent default',
    'run',
  ])
  expect(command?.traceId).toBe(mother.traceId)
  expect(woken.links.map(({ traceId }) => traceId)).toEqual([child.traceId])
})

test('another attempt of a lost run is another span in the same trace', async () => {
  const first = await traced.startRunner()
  const agentId = await traced.spawn('lost', [{ shell: 'sleep 3600' }])
  await traced.world.waitUntil(
    'the command',
    async () => (await traced.world.events(agentId, 'run.tool-started')).length > 0,
  )
  await first.kill()
  const second = await traced.startRunner({ SKEIN_RUNNER_DRAIN_MS: '200' })
  await traced.world.waitUntil(
    'the second attempt',
    async () => (await traced.world.events(agentId, 'run.started')).length === 2,
    60_000,
  )
  await second.stop()
  const run = await traced.runSpan('lost', '1', 2)
  expect(traced.ancestry(run)).toEqual(['run', 'assign run', 'POST /v1/agent/spawn'])
  const attempts = traced.inTrace(run).filter(({ name }) => name === 'assign run')
  const numbers = attempts.map(({ attributes }) => String(attributes['skein.attempt']))
  expect(numbers.toSorted()).toEqual(['1', '2'])
})

test('no span has a prompt, an answer, what a tool was given or said, a key or a value', () => {
  const { text, spans } = traced.collector
  expect(spans.length).toBeGreaterThan(100)
  for (const secret of [
    'confidential',
    'Please do this',
    'What colour',
    'It is blue',
    'sleep 3600',
    'skn_',
    'skr_',
    traced.world.admin.key,
    ...Object.values(PROVIDER_KEYS),
    'postgres://',
  ]) {
    expect(text).not.toContain(secret)
  }
  const keys = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
  for (const key of keys) expect(key).toMatch(/^(db|error|gen_ai|http|mcp|server|skein|url)\./)
})
