import type { Round, Wire, WireAnswer } from './wire.ts'

interface Block {
  type: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  input?: unknown
}

const TOOLS = ['Bash', 'Write', 'Read', 'mcp__skein__list_tasks', 'mcp__skein__finish']

export const anthropicWire: Wire = {
  name: 'anthropic',
  path: '/v1/messages?beta=true',
  requestId: 'request-id',

  body: (prompt, rounds = [], extra = {}) => ({
    model: 'claude-sonnet-5',
    max_tokens: 64_000,
    tools: TOOLS.map((name) => ({ name, input_schema: { type: 'object' } })),
    metadata: { user_id: JSON.stringify({ session_id: 'session-1' }) },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nBe kind.\n</system-reminder>\n' },
          { type: 'text', text: prompt },
        ],
      },
      { role: 'system', content: '<system-reminder>\nIt is Monday.\n</system-reminder>' },
      ...rounds.flatMap(messagesOf),
    ],
    ...extra,
  }),

  readEvents(events) {
    const blocks = new Map<number, Block & { json: string }>()
    let usage: unknown
    let isComplete = false
    let error: unknown
    for (const { event, data } of events) {
      const index = data['index'] as number
      const block = blocks.get(index)
      if (event === 'message_start') usage = (data['message'] as { usage: unknown }).usage
      if (event === 'content_block_start')
        blocks.set(index, { ...(data['content_block'] as Block), json: '' })
      if (event === 'content_block_delta' && block)
        applyDelta(block, data['delta'] as Readonly<Record<string, string>>)
      if (event === 'message_delta') usage = data['usage']
      if (event === 'message_stop') isComplete = true
      if (event === 'error') ({ error } = data)
    }
    const whole = [...blocks.values()].map(({ json, ...block }) => ({
      ...block,
      ...(json !== '' && { input: JSON.parse(json) as unknown }),
    }))
    return { ...answerOf(whole, usage), isComplete, ...(error !== undefined && { error }) }
  },

  readBody(body) {
    const { content, usage, stop_reason } = body as {
      content: Block[]
      usage: unknown
      stop_reason: string | null
    }
    return { ...answerOf(content, usage), isComplete: stop_reason !== null }
  },
}

function applyDelta(block: Block & { json: string }, delta: Readonly<Record<string, string>>): void {
  block.text = (block.text ?? '') + (delta['text'] ?? '')
  block.thinking = (block.thinking ?? '') + (delta['thinking'] ?? '')
  block.json += delta['partial_json'] ?? ''
}

function answerOf(blocks: readonly Block[], usage: unknown): Omit<WireAnswer, 'isComplete'> {
  const of = (type: string): Block[] => blocks.filter((block) => block.type === type)
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thinking: of('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    calls: of('tool_use').map(({ id = '', name = '', input }) => ({ id, name, input })),
    usage,
  }
}

function messagesOf({ answer, results = [], words }: Round): object[] {
  const said = answer.text === '' ? [] : [{ type: 'text', text: answer.text }]
  const called = answer.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
  const returned = answer.calls.map(({ id }, index) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text: results[index] ?? '' }],
  }))
  const assistant = [...said, ...called]
  const user = [...returned, ...(words === undefined ? [] : [{ type: 'text', text: words }])]
  return [
    ...(assistant.length > 0 ? [{ role: 'assistant', content: assistant }] : []),
    ...(user.length > 0 ? [{ role: 'user', content: user }] : []),
  ]
}
