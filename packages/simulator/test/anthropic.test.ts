import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineScript, startSimulator, type Simulator } from '../src/index.ts'
import { anthropicWire as wire } from './wire-anthropic.ts'
import { parseEvents, post } from './wire.ts'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator({ random: () => 0.7 })
})

afterAll(() => simulator.close())

async function answerTo(messages: readonly object[], extra: object = {}): Promise<string> {
  const response = await post(simulator, wire, wire.body('', [], { messages, ...extra }))
  return wire.readBody(await response.json()).text
}

test('a stream has the events of the Messages API in their order', async () => {
  const usage = { input: 11, cachedInput: 22, cacheWrite: 33, output: 44, reasoning: 5 }
  const prompt = inlineScript([{ think: 'hm', say: 'hi', shell: 'ls', chunks: 1, usage }])
  const response = await post(simulator, wire, wire.body(prompt, [], { stream: true, speed: 'fast' }))
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('request-id')).toBe(`req_${'b'.repeat(20)}`)
  const input = {
    input_tokens: 11,
    cache_creation_input_tokens: 33,
    cache_read_input_tokens: 22,
    cache_creation: { ephemeral_5m_input_tokens: 33, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
    speed: 'fast',
  }
  const id = 'b'.repeat(20)
  expect(parseEvents(await response.text()).map(({ data }) => data)).toEqual([
    {
      type: 'message_start',
      message: {
        id: `msg_${id}00`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1, output_tokens_details: { thinking_tokens: 1 } },
      },
    },
    { type: 'ping' },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ltdWxhdGVk' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: `toolu_${id}02`, name: 'Bash', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
    {
      type: 'content_block_delta',
      index: 2,
      delta: {
        type: 'input_json_delta',
        partial_json: '{"command":"ls","description":"ls","timeout":600000}',
      },
    },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { ...input, output_tokens: 44, output_tokens_details: { thinking_tokens: 5 } },
    },
    { type: 'message_stop' },
  ])
})

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [503, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('an error %i is a %s', async (status, type) => {
  const prompt = `${status}\n${inlineScript([{ error: status, times: 'always' }])}`
  const response = await post(simulator, wire, wire.body(prompt))
  expect(await response.json()).toEqual({
    type: 'error',
    error: { type, message: `Simulated error ${status}.` },
    request_id: response.headers.get('request-id'),
  })
})

describe('a call', () => {
  test('uses the tools that the request offers', async () => {
    const steps = [
      { write: { path: 'a.txt', text: "it's" } },
      { tool: 'Read', input: { file_path: 'a.txt' } },
      { tool: 'mcp__other__look' },
      { output: { a: 1 } },
    ]
    const callsWith = async (extra: object): Promise<unknown[]> => {
      const calls = steps.map(async (step) => {
        const response = await post(simulator, wire, wire.body(inlineScript([step]), [], extra))
        const { calls: made, text } = wire.readBody(await response.json())
        return made.map(({ name, input }) => [name, input])[0] ?? text
      })
      return Promise.all(calls)
    }
    const offered = ['Write', 'Read', 'StructuredOutput'].map((name) => ({ name }))
    expect(await callsWith({ tools: offered })).toEqual([
      ['Write', { file_path: 'a.txt', content: "it's\n" }],
      ['Read', { file_path: 'a.txt' }],
      ['mcp__other__look', {}],
      ['StructuredOutput', { a: 1 }],
    ])
    expect(await callsWith({ tools: [{ name: 'Bash' }] })).toEqual([
      ['Bash', expect.objectContaining({ command: expect.stringContaining("> 'a.txt'") as string })],
      ['mcp__skein__Read', { file_path: 'a.txt' }],
      ['mcp__other__look', {}],
      '{"a":1}',
    ])
  })
})

function user(...texts: string[]): object {
  return { role: 'user', content: texts.map((text) => ({ type: 'text', text })) }
}

function assistant(text: string): object {
  return { role: 'assistant', content: [{ type: 'text', text }] }
}

function reminder(text: string): string {
  return (
    `<system-reminder>\nThe user sent a new message while you were working:\n${text}\n\n` +
    'This is how Claude Code surfaces messages the user sends mid-turn.\n</system-reminder>'
  )
}

describe('a conversation of Claude Code', () => {
  const script = inlineScript([{ say: 'one' }, { say: 'two' }, { say: 'three' }])
  test('may have its content as a plain text', async () => {
    expect(
      await answerTo([
        { role: 'user', content: script },
        { role: 'assistant', content: 'one' },
      ]),
    ).toBe('two')
  })

  test('is taken up after an interrupt with the step that was interrupted', async () => {
    const interrupted = [user(script), assistant('one'), user('next'), assistant('tw')]
    expect(await answerTo([...interrupted, user('[Request interrupted by user]\n', 'go on')])).toBe('two')
    const resumed = [
      user('[Request interrupted by user]'),
      assistant('No response requested.'),
      user('go on'),
    ]
    expect(await answerTo([...interrupted, ...resumed])).toBe('two')
  })

  test('may bring another script in a word to the agent at work', async () => {
    const other = inlineScript([{ say: 'other' }])
    const said = [user(script), assistant('one')]
    expect(await answerTo([...said, { role: 'system', content: reminder('hurry') }])).toBe('two')
    expect(await answerTo([...said, { role: 'system', content: reminder(other) }])).toBe('other')
    expect(await answerTo([...said, user(reminder(other))])).toBe('other')
  })

  test('continues with its script when structured output is required', async () => {
    const enforced = user(
      '[structured-output-enforce] You MUST call the StructuredOutput tool. Call this tool now.',
    )
    expect(await answerTo([user(script), assistant('one'), enforced])).toBe('two')
  })

  test('that was resumed plays the script of its newest prompt', async () => {
    const older = [user(inlineScript([{ say: 'a' }, { say: 'b' }])), assistant('a'), assistant('b')]
    expect(await answerTo([...older, user(script)])).toBe('one')
    expect(await answerTo([...older, user(script), assistant('one')])).toBe('two')
  })

  test('has questions of its own, which take no step', async () => {
    const messages = [user(script)]
    expect(await answerTo(messages, { max_tokens: 1 })).toBe('Simulated session')
    expect(await answerTo(messages, { tools: [] })).toBe('Simulated session')
    const format = { tools: [], output_config: { format: { type: 'json_schema' } } }
    expect(JSON.parse(await answerTo(messages, format))).toEqual({ title: 'Simulated session' })
    expect(simulator.requests.slice(-3).map(({ isSide, step }) => [isSide, step])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, undefined],
    ])
    // Another client may have no tools at all.
    expect(await answerTo(messages, { tools: [], metadata: {} })).toBe('one')
  })
})

test('tokens are counted without a step', async () => {
  const response = await fetch(`${simulator.url}/v1/messages/count_tokens`, {
    method: 'POST',
    body: JSON.stringify(wire.body(inlineScript([{ error: 500 }]))),
  })
  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) as number })
})
