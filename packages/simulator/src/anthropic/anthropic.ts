import {
  isSideRequest,
  OUTPUT_TOOL,
  readMessages,
  readOutputSchema,
  readSession,
  readToolNames,
} from './anthropic-request.ts'
import { listOf, objectOf, textOf, type JsonObject } from '../json.ts'
import {
  partId,
  splitText,
  type Answer,
  type Exchange,
  type Frame,
  type ModelRequest,
  type Protocol,
  type WireError,
} from '../protocol.ts'
import type { Call } from '../script/script.ts'
import { writeFileCommand } from '../shell.ts'

/** The Messages API. */
export const anthropic: Protocol = {
  name: 'anthropic',
  requestIdHeader: 'request-id',
  readExchange: (body) => new MessagesExchange(body),
  describeError: (error, requestId) => ({ type: 'error', error: errorOf(error), request_id: requestId }),
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function errorOf({ status, message, code }: WireError): object {
  return { type: code ?? ERROR_TYPES[status] ?? 'api_error', message }
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

/** Any non-empty value works: only the provider can check a signature. */
const SIGNATURE = 'c2ltdWxhdGVk'
/** The maximum Claude Code allows. */
const SHELL_TIMEOUT_MS = 600_000

class MessagesExchange implements Exchange {
  readonly request: ModelRequest
  readonly #tools: ReadonlySet<string>
  readonly #speed: string

  constructor(body: JsonObject) {
    const wantsJson = objectOf(body['output_config'])['format'] !== undefined
    this.request = {
      protocol: 'anthropic',
      model: textOf(body['model']),
      isStreaming: body['stream'] === true,
      isSide: isSideRequest(body),
      session: readSession(body),
      entries: readMessages(listOf(body['messages'])),
      outputSchema: readOutputSchema(body['tools']),
      poll: undefined,
      sideText: wantsJson ? '{"title":"Simulated session"}' : 'Simulated session',
    }
    this.#tools = readToolNames(body['tools'])
    this.#speed = textOf(body['speed']) || 'standard'
  }

  describeAnswer(answer: Answer): object {
    return {
      ...this.#envelope(answer),
      content: this.#blocksOf(answer),
      stop_reason: stopReason(this.#blocksOf(answer)),
      usage: this.#usageOf(answer, answer.usage.output),
    }
  }

  *streamAnswer(answer: Answer): Iterable<Frame> {
    const blocks = this.#blocksOf(answer)
    yield event('message_start', { message: this.#envelope(answer) })
    yield event('ping', {})
    for (const [index, block] of blocks.entries()) {
      yield event('content_block_start', { index, content_block: emptied(block) })
      for (const delta of deltasOf(block, answer.chunks)) {
        if (answer.chunkMs > 0) yield { kind: 'pause', ms: answer.chunkMs }
        yield event('content_block_delta', { index, delta })
      }
      const isLast = index === blocks.length - 1
      // An interrupted answer is never complete, not even its last block.
      if (!(isLast && answer.failure)) yield event('content_block_stop', { index })
    }
    if (answer.failure?.kind === 'error') yield event('error', { error: errorOf(answer.failure) })
    else if (answer.failure) yield { kind: answer.failure.kind }
    if (answer.failure) return
    yield event('message_delta', {
      delta: { stop_reason: stopReason(blocks), stop_sequence: null },
      usage: this.#usageOf(answer, answer.usage.output),
    })
    yield event('message_stop', {})
  }

  #envelope(answer: Answer): object {
    return {
      id: partId('msg', answer, 0),
      type: 'message',
      role: 'assistant',
      model: this.request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: this.#usageOf(answer, 1),
    }
  }

  #usageOf({ usage }: Answer, outputTokens: number): object {
    return {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cachedInput,
      cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { thinking_tokens: Math.min(usage.reasoning, outputTokens) },
      service_tier: 'standard',
      speed: this.#speed,
    }
  }

  #blocksOf(answer: Answer): readonly Block[] {
    const blocks: Block[] = []
    const call = (name: string, input: object): void => {
      blocks.push({ type: 'tool_use', id: partId('toolu', answer, blocks.length), name, input })
    }
    if (answer.think) blocks.push({ type: 'thinking', thinking: answer.think, signature: SIGNATURE })
    if (answer.say) blocks.push({ type: 'text', text: answer.say })
    for (const { name, input } of answer.calls.map((each) => this.#toolCall(each))) call(name, input)
    if (answer.output) {
      const { value } = answer.output
      // Without the tool, it can only be text.
      if (this.#tools.has(OUTPUT_TOOL)) call(OUTPUT_TOOL, objectOf(value))
      else blocks.push({ type: 'text', text: JSON.stringify(value) })
    }
    return blocks
  }

  #toolCall(call: Call): { name: string; input: object } {
    switch (call.kind) {
      case 'shell':
        return bash(call.command)
      case 'write':
        if (!this.#tools.has('Write')) return bash(writeFileCommand(call.path, call.text))
        return { name: 'Write', input: { file_path: call.path, content: call.text } }
      case 'tool':
        return { name: this.#fullName(call.name), input: call.input }
    }
  }

  #fullName(name: string): string {
    const ours = `mcp__skein__${name}`
    if (this.#tools.has(ours)) return ours
    return this.#tools.has(name) || name.startsWith('mcp__') ? name : ours
  }
}

function bash(command: string): { name: string; input: object } {
  const description = command.split('\n', 1)[0]?.slice(0, 60)
  return { name: 'Bash', input: { command, description, timeout: SHELL_TIMEOUT_MS } }
}

function event(type: string, data: object): Frame {
  return { kind: 'event', event: type, data: { type, ...data } }
}

function emptied(block: Block): object {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '' }
    case 'tool_use':
      return { ...block, input: {} }
  }
}

function deltasOf(block: Block, chunks: number): readonly object[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...splitText(block.thinking, chunks).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'text':
      return splitText(block.text, chunks).map((text) => ({ type: 'text_delta', text }))
    case 'tool_use':
      return ['', ...splitText(JSON.stringify(block.input), chunks)].map((json) => ({
        type: 'input_json_delta',
        partial_json: json,
      }))
  }
}

function stopReason(blocks: readonly Block[]): string {
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
}
