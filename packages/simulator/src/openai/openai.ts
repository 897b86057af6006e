import { textOf, type JsonObject } from '../json.ts'
import { streamEvent, streamItem, type Item } from './openai-items.ts'
import { isSideRequest, readInput, readOutputSchema, readPoll } from './openai-request.ts'
import { ToolOffer } from './openai-tools.ts'
import { partId, type Answer, type Exchange, type Frame, type Protocol, type WireError } from '../protocol.ts'
import type { TokenUsage } from '../script/script.ts'

/** The Responses API. */
export const openai: Protocol = {
  name: 'openai',
  requestIdHeader: 'x-request-id',
  readExchange: (body) => new ResponsesExchange(body),
  describeError: (error) => ({ error: { ...errorOf(error), param: null } }),
}

const ERRORS: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: null },
  413: { type: 'invalid_request_error', code: 'request_too_large' },
  429: { type: 'tokens', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'server_is_overloaded' },
}

function errorOf({ status, message, code }: WireError): {
  type: string
  code: string | null
  message: string
} {
  const known = ERRORS[status] ?? { type: 'server_error', code: null }
  // When an account has run out of money, OpenAI repeats the code as the type.
  const type = code === 'insufficient_quota' ? code : known.type
  return { message, type, code: code ?? known.code }
}

/** Any non-empty value works: the program only sends it back. */
const ENCRYPTED = 'c2ltdWxhdGVk'

class ResponsesExchange implements Exchange {
  readonly request: Exchange['request']
  readonly #tools: ToolOffer
  readonly #body: JsonObject

  constructor(body: JsonObject) {
    const poll = readPoll(body['input'])
    this.request = {
      protocol: 'openai',
      model: textOf(body['model']),
      isStreaming: body['stream'] === true,
      isSide: isSideRequest(body),
      session: textOf(body['prompt_cache_key']),
      entries: readInput(body['input']),
      outputSchema: readOutputSchema(body),
      poll: poll && { kind: 'tool', ...poll },
      sideText: 'Simulated session',
    }
    this.#tools = new ToolOffer(body)
    this.#body = body
  }

  describeAnswer(answer: Answer): object {
    const usage = usageOf(answer.usage)
    return { ...this.#envelope(answer), status: 'completed', output: this.#itemsOf(answer), usage }
  }

  *streamAnswer(answer: Answer): Iterable<Frame> {
    let sequence = 0
    for (const frame of this.#frames(answer)) {
      if (frame.kind !== 'event') {
        yield frame
        continue
      }
      yield { ...frame, data: { type: frame.event, sequence_number: sequence, ...frame.data } }
      sequence += 1
    }
  }

  *#frames(answer: Answer): Iterable<Frame> {
    const response = { ...this.#envelope(answer), status: 'in_progress', output: [], usage: null }
    yield streamEvent('response.created', { response })
    yield streamEvent('response.in_progress', { response })
    const items = this.#itemsOf(answer)
    const { failure } = answer
    for (const [index, item] of items.entries()) {
      const isCutOff = failure !== undefined && index === items.length - 1
      yield* streamItem(item, index, answer, isCutOff)
    }
    if (failure?.kind === 'error') {
      const { code, message } = errorOf(failure)
      const error = { code: code ?? 'server_error', message }
      yield streamEvent('response.failed', { response: { ...response, status: 'failed', error } })
    } else if (failure) {
      yield { kind: failure.kind }
    } else {
      yield streamEvent('response.completed', { response: this.describeAnswer(answer) })
    }
  }

  #envelope(answer: Answer): object {
    const setting = (key: string, otherwise: unknown): unknown => this.#body[key] ?? otherwise
    return {
      id: partId('resp', answer, 0),
      object: 'response',
      created_at: Math.floor(answer.createdAt / 1000),
      status: 'completed',
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      model: this.request.model,
      output: [],
      parallel_tool_calls: setting('parallel_tool_calls', true),
      previous_response_id: null,
      prompt_cache_key: setting('prompt_cache_key', null),
      reasoning: setting('reasoning', { effort: null, summary: null }),
      service_tier: this.#body['service_tier'] === 'auto' ? 'default' : setting('service_tier', 'default'),
      store: setting('store', true),
      temperature: 1,
      text: setting('text', { format: { type: 'text' } }),
      tool_choice: setting('tool_choice', 'auto'),
      // The real API repeats the request's tools. No program reads them, and they are most of its size.
      tools: [],
      top_p: 1,
      truncation: 'disabled',
      usage: null,
      user: null,
      metadata: {},
    }
  }

  #itemsOf(answer: Answer): readonly Item[] {
    const items: Item[] = []
    const next = (prefix: string): string => partId(prefix, answer, items.length)
    if (answer.think) {
      const summary = [{ type: 'summary_text' as const, text: answer.think }]
      items.push({ id: next('rs'), type: 'reasoning', summary, encrypted_content: ENCRYPTED })
    }
    const texts = [answer.say, answer.output ? JSON.stringify(answer.output.value) : ''].filter(Boolean)
    for (const text of texts) {
      const part = { type: 'output_text' as const, annotations: [], logprobs: [], text }
      items.push({
        id: next('msg'),
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [part],
      })
    }
    for (const call of answer.calls.map((each) => this.#tools.toCall(each))) {
      const id = next(call.type === 'function_call' ? 'fc' : 'ctc')
      items.push({ id, status: 'completed', call_id: next('call'), ...call })
    }
    return items
  }
}

/** The wire's input includes cache reads and writes. */
function usageOf(usage: TokenUsage): object {
  const input = usage.input + usage.cachedInput + usage.cacheWrite
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  }
}
