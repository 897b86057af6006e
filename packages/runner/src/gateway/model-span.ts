import { context, SpanKind, type Context, type Span } from '@opentelemetry/api'
import { failSpan } from '@skein/host/telemetry'
import { tracer } from '../tracer.ts'
import type { CallUsage } from './grant.ts'
import type { ProviderName } from './provider.ts'

/** The agent's program chooses the name, and could write anything into it. */
const PLAIN_NAME = /^[\w.:@/+-]{1,100}$/

export interface ModelSpanSetup {
  /** The turn that calls. */
  readonly parent: Context | undefined
  readonly provider: ProviderName
  readonly model: string
  /** Whether the model answers, rather than only counting tokens. */
  readonly isPaid: boolean
  readonly url: URL
}

/** A model call as a span: who was asked, for how much, and how it ended. Never what was said. */
export class ModelSpan {
  readonly #span: Span
  readonly #startedAt = performance.now()
  #hasAnswered = false

  constructor({ parent = context.active(), provider, model, isPaid, url }: ModelSpanSetup) {
    const operation = isPaid ? 'chat' : 'count_tokens'
    const name = PLAIN_NAME.test(model) ? model : '_OTHER'
    const attributes = {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': name,
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    }
    this.#span = tracer.startSpan(`${operation} ${name}`, { kind: SpanKind.CLIENT, attributes }, parent)
  }

  markFirstChunk(): void {
    if (this.#hasAnswered) return
    this.#hasAnswered = true
    const seconds = (performance.now() - this.#startedAt) / 1000
    this.#span.setAttribute('gen_ai.response.time_to_first_chunk', seconds)
  }

  end(usage: Omit<CallUsage, 'model' | 'provider' | 'durationMs'>): void {
    const { status, isComplete } = usage
    this.#span.setAttributes({
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
      'skein.cost_usd': usage.costUsd,
    })
    if (status !== 0) this.#span.setAttribute('http.response.status_code', status)
    if (status === 0) failSpan(this.#span, 'no_response')
    else if (status >= 300) failSpan(this.#span, String(status))
    else if (!isComplete) failSpan(this.#span, 'cut')
    this.#span.end()
  }
}
