import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CallMeter } from './call-meter.ts'
import type { ModelGrant, Price, TokenCounts } from './grant.ts'
import { headersToPassBack, headersToSend } from './headers.ts'
import { parseJson } from '../json.ts'
import { asObject, asText } from './json.ts'
import { costUsd, toolCostUsd } from './prices.ts'
import type { Provider } from './provider.ts'
import type { HeldBody } from './read-body.ts'
import { readRetryAfterMs } from './rate-limits.ts'
import { refuse } from './refuse.ts'
import { ModelSpan } from './model-span.ts'
import { collect, sendUpstream, unpack, UpstreamTimeout, type UpstreamTimeouts } from './upstream.ts'

export interface ModelCallSetup {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly provider: Provider
  readonly url: URL
  readonly apiKey: string
  readonly grant: ModelGrant
  readonly metering: Metering
  readonly signal: AbortSignal
  readonly timeouts: UpstreamTimeouts
  readonly now: () => number
  /** Removes provider keys from a text. */
  readonly redact: (text: string) => string
}

export interface Metering {
  readonly model: string
  readonly promptTokens: number
  readonly price: Price | undefined
  /** Whether the model answers. */
  readonly isPaid: boolean
}

const NO_TOKENS: TokenCounts = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
}

const MAX_ERROR_BYTES = 64 * 1024

/**
 * For delays up to this, the program waits itself, which is cheaper than ending its turn. For longer ones the runner
 * pauses the run, so headers that would make the program wait are removed.
 */
const MAX_SLEEP_MS = 10_000

/** The account is exhausted: waiting doesn't help. */
const QUOTA_CODE = 'insufficient_quota'

/** The status a limit would have had before the response started. */
const LIMIT_CODES: ReadonlyMap<string, number> = new Map([
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  [QUOTA_CODE, 429],
  ['overloaded_error', 529],
  ['server_is_overloaded', 529],
])

/** One call to the provider and back. Its usage is reported once, however it ends. */
export class ModelCall {
  readonly #setup: ModelCallSetup
  readonly #startedAt: number
  readonly #span: ModelSpan
  #isReported = false
  #isLimitReported = false

  constructor(setup: ModelCallSetup) {
    this.#setup = setup
    this.#startedAt = setup.now()
    const { provider, metering, url, grant } = setup
    this.#span = new ModelSpan({ ...metering, parent: grant.traceContext, provider: provider.name, url })
  }

  async carryOut(held: HeldBody): Promise<void> {
    const { request, provider, url, apiKey, grant, signal, timeouts } = this.#setup
    let answer: IncomingMessage
    try {
      answer = await sendUpstream({
        url,
        body: held.take(),
        method: request.method ?? '',
        headers: {
          ...headersToSend(request.headers, grant.policy),
          ...provider.authorization(apiKey),
        },
        onSent: () => held.release(),
        signal,
        timeouts,
      })
    } catch (error) {
      this.#giveUp(error)
      return
    }
    const status = answer.statusCode ?? 0
    if (status < 200 || (status >= 300 && status < 400)) {
      // The request and its key are only for this provider.
      answer.destroy()
      this.#report(NO_TOKENS, { status, isComplete: true })
      return refuse(this.#setup.response, provider, 502, 'The model provider responded with a redirect.')
    }
    await (status >= 200 && status < 300 ? this.#passOn(answer, status) : this.#passError(answer, status))
  }

  /**
   * There was no response. A provider that was asked and abandoned keeps working; one that broke off bills nothing.
   */
  #giveUp(error: unknown): void {
    const { response, provider, metering, signal } = this.#setup
    const isAborted = signal.aborted
    const isLeft = isAborted || error instanceof UpstreamTimeout
    const inputTokens = isLeft ? metering.promptTokens : 0
    this.#report({ ...NO_TOKENS, inputTokens }, { status: 0, isComplete: false })
    if (isAborted) {
      response.destroy()
      return
    }
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    refuse(
      response,
      provider,
      502,
      `The model provider cannot be reached (${asText(code) || 'no response'}).`,
    )
  }

  async #passOn(answer: IncomingMessage, status: number): Promise<void> {
    const { response, provider, metering } = this.#setup
    const isStream = (answer.headers['content-type'] ?? '').startsWith('text/event-stream')
    const meter = new CallMeter(provider.readUsage, { isStream, promptTokens: metering.promptTokens })
    const report = (): void => this.#report(meter.counts, { status, isComplete: meter.isComplete })
    // Reported before passing it on: a program that has seen the end of its last call may exit, and the run with it.
    const tap = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#span.markFirstChunk()
        meter.write(chunk)
        this.#reportLateLimit(meter)
        if (meter.isComplete) report()
        done(null, chunk)
      },
      flush: (done) => {
        meter.end()
        report()
        done()
      },
    })
    response.writeHead(status, headersToPassBack(answer.headers))
    response.flushHeaders()
    try {
      await pipeline(unpack(answer), tap, response)
    } catch {
      // Cut by one side, and by now closed on both.
    } finally {
      report()
    }
  }

  async #passError(answer: IncomingMessage, status: number): Promise<void> {
    const { response, redact, now } = this.#setup
    const bytes = await collect(unpack(answer), MAX_ERROR_BYTES).catch(() => undefined)
    const text = redact(bytes?.toString() ?? '')
    const headers = headersToPassBack(answer.headers)
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string') headers[name] = redact(value)
    }
    this.#report(NO_TOKENS, { status, isComplete: true })
    let canRetry = status !== 401
    if (status === 429 || status === 529) {
      const error = asObject(asObject(parseJson(text))['error'])
      const message = asText(error['message'])
      const retryAfterMs = readRetryAfterMs(answer.headers, message, now())
      const code = asText(error['code']) || asText(error['type'])
      this.#setup.grant.onLimit({ status, code, message, retryAfterMs })
      canRetry = code !== QUOTA_CODE && (retryAfterMs ?? 0) <= MAX_SLEEP_MS
    }
    if (!canRetry) {
      delete headers['retry-after']
      delete headers['retry-after-ms']
      headers['x-should-retry'] = 'false'
    }
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }

  /** An overloaded provider may notice only after its response has started. */
  #reportLateLimit({ error }: CallMeter): void {
    const status = error && LIMIT_CODES.get(error.code)
    if (!error || status === undefined || this.#isLimitReported) return
    this.#isLimitReported = true
    const message = this.#setup.redact(error.message)
    const retryAfterMs = readRetryAfterMs({}, message, this.#setup.now())
    this.#setup.grant.onLimit({ status, code: error.code, message, retryAfterMs })
  }

  #report(counts: TokenCounts, end: { readonly status: number; readonly isComplete: boolean }): void {
    const { grant, metering, provider, now } = this.#setup
    if (this.#isReported) return
    this.#isReported = true
    const cost = costUsd(counts, metering.price) + toolCostUsd(counts.toolUses ?? {}, grant.toolPrices)
    const durationMs = now() - this.#startedAt
    this.#span.end({ ...counts, ...end, costUsd: cost })
    grant.onUsage({
      ...counts,
      ...end,
      model: metering.model,
      costUsd: cost,
      provider: provider.name,
      durationMs,
    })
  }
}
