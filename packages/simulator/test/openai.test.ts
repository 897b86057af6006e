import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineScript, startSimulator, type Simulator, type SimulatorStep } from '../src/index.ts'
import { CODE_MODE_TOOLS, openaiWire as wire } from './wire-openai.ts'
import { ask, parseEvents, post } from './wire.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator({ random: () => 0.7, now: () => 1_700_000_000_500 })
})

afterAll(() => simulator.close())

const id = 'b'.repeat(20)
const userMessage = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

async function answerTo(input: readonly object[] | string, extra: object = {}) {
  const response = await post(simulator, wire, wire.body('', [], { input, ...extra }))
  return wire.readBody(await response.json())
}

test('a stream has the events of the Responses API in their order, numbered', async () => {
  const usage = { input: 11, cachedInput: 22, cacheWrite: 33, output: 44, reasoning: 5 }
  const prompt = inlineScript([{ think: 'hm', say: 'hi', shell: 'ls', chunks: 1, usage }])
  const response = await post(simulator, wire, wire.body(prompt, [], { stream: true, service_tier: 'flex' }))
  const events = parseEvents(await response.text())
  expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, index) => index))
  expect(events.every(({ event, data }) => data['type'] === event)).toBe(true)
  expect(events.map(({ event }) => event.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ])
  expect(events[0]?.data['response']).toMatchObject({ status: 'in_progress', output: [], usage: null })
  expect(events.at(-1)?.data['response']).toMatchObject({
    id: `resp_${id}00`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'gpt-5.5',
    service_tier: 'flex',
    output: [
      { id: `rs_${id}00`, type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      {
        id: `msg_${id}01`,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hi' }],
      },
      {
        id: `fc_${id}02`,
        type: 'function_call',
        status: 'completed',
        call_id: `call_${id}02`,
        name: 'exec_command',
        arguments: '{"cmd":"ls","yield_time_ms":30000}',
      },
    ],
    usage: {
      input_tokens: 66,
      input_tokens_details: { cached_tokens: 22, cache_write_tokens: 33 },
      output_tokens: 44,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 110,
    },
  })
})

test.each([
  [400, 'invalid_request_error', null],
  [401, 'invalid_request_error', 'invalid_api_key'],
  [429, 'tokens', 'rate_limit_exceeded'],
  [500, 'server_error', null],
  [503, 'server_error', 'server_is_overloaded'],
])('an error %i is a %s (%s)', async (status, type, code) => {
  const prompt = `${status}\n${inlineScript([{ error: status, times: 'always' }])}`
  const response = await post(simulator, wire, wire.body(prompt))
  expect(await response.json()).toEqual({
    error: { message: `Simulated error ${status}.`, type, code, param: null },
  })
})

test('a context that is too long fails in the stream, by its own code', async () => {
  const step = { error: 400, code: 'context_length_exceeded', message: 'Too long.', inStream: true }
  expect(await ask(simulator, wire, inlineScript([step]))).toMatchObject({
    isComplete: false,
    error: { code: 'context_length_exceeded', message: 'Too long.' },
  })
})

async function callOf(step: SimulatorStep, extra: object = {}): Promise<unknown> {
  const response = await post(simulator, wire, wire.body(inlineScript([step]), [], extra))
  const [call] = wire.readBody(await response.json()).calls
  return call && [call.name, call.input]
}

async function codeOf(step: SimulatorStep): Promise<unknown> {
  const input = [CODE_MODE_TOOLS, userMessage(inlineScript([step]))]
  const { calls } = await answerTo(input, { tools: undefined })
  return calls[0]?.name === 'exec' ? calls[0].input : undefined
}

function result(output: unknown): object {
  return { type: 'function_call_output', call_id: 'c', output }
}

function assistant(text: string): object {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
}

describe('a call', () => {
  test('uses the tools that the request offers', async () => {
    const write = { write: { path: 'a b.txt', text: 'one\n+two' } }
    const patch = '*** Begin Patch\n*** Add File: a b.txt\n+one\n++two\n*** End Patch\n'
    expect(await callOf(write)).toEqual(['apply_patch', patch])
    expect(await callOf({ tool: 'list_tasks' })).toEqual(['mcp__skein/list_tasks', {}])
    expect(await callOf({ tool: 'finish' })).toEqual(['mcp__skein/finish', {}])
    expect(await callOf({ tool: 'mcp__other__look' })).toEqual(['mcp__other/look', {}])
    const flat = {
      tools: ['shell_command', 'mcp__skein__finish', 'update_plan'].map((name) => ({
        type: 'function',
        name,
      })),
    }
    expect(await callOf({ tool: 'finish' }, flat)).toEqual(['mcp__skein__finish', {}])
    expect(await callOf({ tool: 'update_plan' }, flat)).toEqual(['update_plan', {}])
    expect(await callOf({ shell: 'ls' }, flat)).toEqual([
      'shell_command',
      { command: 'ls', timeout_ms: 600_000 },
    ])
    expect(await callOf(write, flat)).toEqual([
      'shell_command',
      { command: expect.stringContaining("> 'a b.txt'") as string, timeout_ms: 600_000 },
    ])
  })

  test('is JavaScript if that is the only tool', async () => {
    expect(await codeOf({ shell: 'echo "hi"' })).toContain(
      'tools.exec_command({"cmd":"echo \\"hi\\"","yield_time_ms":30000})',
    )
    expect(await codeOf({ write: { path: 'a', text: 'b' } })).toContain(
      'tools.apply_patch("*** Begin Patch\\n',
    )
    expect(await codeOf({ tool: 'finish', input: { result: 'x' } })).toContain(
      'tools["mcp__skein__finish"]({"result":"x"})',
    )
  })

  test('has the result that its tool gave, without what Codex puts around it', async () => {
    const prompt = userMessage(
      inlineScript([{ shell: 'ls' }, { say: '[${result}|${results.exec_command}]' }]),
    )
    const call = { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' }
    const head =
      'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\n'
    expect((await answerTo([prompt, call, result(`${head}a\nOutput:\nb\n`)])).text).toBe(
      '[a\nOutput:\nb|a\nOutput:\nb]',
    )
    const parts = [
      { type: 'input_text', text: 'Wall time: 0.1 seconds\nOutput:' },
      { type: 'input_text', text: '{"a":1}' },
    ]
    expect((await answerTo([prompt, call, result(parts)])).text).toBe('[{"a":1}|{"a":1}]')
    expect((await answerTo([prompt, call, result('aborted')])).text).toBe('[aborted|aborted]')
  })

  test('that takes long is waited for without a step, and has one result in the end', async () => {
    const prompt = userMessage(inlineScript([{ shell: 'make' }, { say: 'built: ${result}' }]))
    const call = { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{}' }
    const running = 'Chunk ID: 1\nWall time: 30 seconds\nProcess running with session ID 7\nOutput:\na\n'
    const waiting = [prompt, call, { type: 'function_call_output', call_id: 'c', output: running }]
    const { calls } = await answerTo(waiting)
    expect(calls).toMatchObject([
      { name: 'write_stdin', input: { session_id: 7, chars: '', yield_time_ms: 30_000 } },
    ])
    const poll = { type: 'function_call', call_id: 'd', name: 'write_stdin', arguments: '{}' }
    const ended = 'Chunk ID: 2\nWall time: 3 seconds\nProcess exited with code 0\nOutput:\nb\n'
    const done = [...waiting, poll, { type: 'function_call_output', call_id: 'd', output: ended }]
    expect((await answerTo(done)).text).toBe('built: a\nb')
  })

  test('of JavaScript that takes long is waited for in its own way', async () => {
    const output = [
      { type: 'input_text', text: 'Script running with cell ID 3\nWall time 30.0 seconds\nOutput:\n' },
    ]
    const { calls } = await answerTo([
      CODE_MODE_TOOLS,
      userMessage(inlineScript([{ shell: 'make' }])),
      { type: 'custom_tool_call', call_id: 'c', name: 'exec', input: 'await tools.exec_command({})' },
      { type: 'custom_tool_call_output', call_id: 'c', output },
    ])
    expect(calls).toMatchObject([{ name: 'wait', input: { cell_id: '3' } }])
  })
})

describe('a conversation', () => {
  const script = inlineScript([{ say: 'one' }, { say: 'two' }, { say: 'three' }])
  test('may be one plain text', async () => {
    expect((await answerTo(script)).text).toBe('one')
  })

  test('counts everything between two inputs as one answer', async () => {
    const reasoning = { type: 'reasoning', summary: [] }
    const developer = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: script }] }
    const items = [userMessage(script), reasoning, assistant('one'), developer, userMessage('go on')]
    expect((await answerTo(items)).text).toBe('two')
    expect((await answerTo([...items, assistant('two')])).text).toBe('three')
  })

  test('sends requests that are not turns, which use no step', async () => {
    const metadata = { 'x-codex-turn-metadata': JSON.stringify({ request_kind: 'compaction' }) }
    expect((await answerTo(script, { client_metadata: metadata })).text).toBe('Simulated session')
    expect(simulator.requests.at(-1)).toMatchObject({ isSide: true, step: undefined })
  })
})

test('structured output is the text of the answer', async () => {
  const { text } = await ask(simulator, wire, inlineScript([{ output: { a: ['b'] } }]))
  expect(JSON.parse(text)).toEqual({ a: ['b'] })
})
