import type { Round, Wire, WireAnswer } from './wire.ts'

interface Item {
  type: string
  call_id?: string
  name?: string
  namespace?: string
  arguments?: string
  input?: string
  content?: { text: string }[]
  summary?: { text: string }[]
}

const CLASSIC_TOOLS = [
  { type: 'function', name: 'exec_command' },
  { type: 'function', name: 'write_stdin' },
  { type: 'custom', name: 'apply_patch' },
  { type: 'namespace', name: 'mcp__skein', tools: [{ type: 'function', name: 'list_tasks' }] },
]

/** As the newest models get them: one tool that runs JavaScript. */
export const CODE_MODE_TOOLS = {
  type: 'additional_tools',
  role: 'developer',
  tools: [
    {
      type: 'namespace',
      name: 'functions',
      tools: [
        { type: 'custom', name: 'exec' },
        { type: 'function', name: 'wait' },
      ],
    },
  ],
}

export const openaiWire: Wire = {
  name: 'openai',
  path: '/v1/responses',
  requestId: 'x-request-id',

  body: (prompt, rounds = [], extra = {}) => ({
    model: 'gpt-5.5',
    tools: CLASSIC_TOOLS,
    prompt_cache_key: 'session-1',
    input: [
      message('developer', 'You are Codex.'),
      message('user', '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
      message('user', prompt),
      ...rounds.flatMap(itemsOf),
    ],
    ...extra,
  }),

  readEvents(events) {
    const items: Item[] = []
    let text = ''
    let usage: unknown
    let isComplete = false
    let error: unknown
    for (const { event, data } of events) {
      const response = data['response'] as { usage: unknown; error: unknown } | undefined
      if (event === 'response.output_text.delta') text += String(data['delta'])
      if (event === 'response.output_item.done') items.push(data['item'] as Item)
      if (event === 'response.completed') {
        usage = response?.usage
        isComplete = true
      }
      if (event === 'response.failed') error = response?.error
    }
    return { ...answerOf(items, usage), text, isComplete, ...(error !== undefined && { error }) }
  },

  readBody(body) {
    const { output, usage, status } = body as { output: Item[]; usage: unknown; status: string }
    return { ...answerOf(output, usage), isComplete: status === 'completed' }
  },
}

function message(role: string, text: string): object {
  return { type: 'message', role, content: [{ type: 'input_text', text }] }
}

function answerOf(items: readonly Item[], usage: unknown): Omit<WireAnswer, 'isComplete'> {
  return {
    text: items.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(''),
    thinking: items.flatMap(({ summary = [] }) => summary.map(({ text }) => text)).join(''),
    calls: items
      .filter(({ call_id }) => call_id !== undefined)
      .map((item) => ({
        id: item.call_id ?? '',
        name: item.namespace === undefined ? (item.name ?? '') : `${item.namespace}/${item.name ?? ''}`,
        input: item.arguments === undefined ? item.input : (JSON.parse(item.arguments) as unknown),
      })),
    usage,
  }
}

/** As Codex sends it: all calls of an answer, and then all results. */
function itemsOf({ answer, results = [], words }: Round): object[] {
  const said = answer.text === '' ? [] : [message('assistant', answer.text)]
  const called = answer.calls.map(({ id, name, input }) => {
    if (typeof input === 'string') return { type: 'custom_tool_call', call_id: id, name, input }
    const [, namespace, bare = name] = /^(.*)\/(.*)$/.exec(name) ?? []
    const place = namespace === undefined ? {} : { namespace }
    return { type: 'function_call', call_id: id, name: bare, ...place, arguments: JSON.stringify(input) }
  })
  const returned = answer.calls.map(({ id, input }, index) => ({
    type: typeof input === 'string' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: id,
    output: `Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${results[index] ?? ''}\n`,
  }))
  return [...said, ...called, ...returned, ...(words === undefined ? [] : [message('user', words)])]
}
