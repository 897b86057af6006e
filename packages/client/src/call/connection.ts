import { createRandomId } from './build-request.ts'
import { OPERATIONS, type OperationTypes } from '../generated/operations.ts'
import { readEvents } from '../stream/read-events.ts'
import {
  createSender,
  prepareRequest,
  readBaseUrl,
  seenBy,
  type CallSettings,
  type SenderOptions,
  type SenderState,
} from './send-call.ts'

/**
 * Options of a single call.
 *
 * @example
 * await agent.kill({ signal: AbortSignal.timeout(5_000), idempotencyKey: 'night-job-2026-11-15' })
 */
export interface RequestOptions {
  /** Ends the call immediately, including retries and pauses. Use `AbortSignal.timeout(5_000)` for a deadline. */
  readonly signal?: AbortSignal | undefined
  /** Per attempt; 0 means no limit. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries. */
  readonly retries?: number | undefined
  /** For operators, who must give a reason for changing another tenant's agents. The tenant sees it in its audit. */
  readonly justification?: string | undefined
  /** For a change that your program itself may repeat, such as after a crash. By default each call has its own. */
  readonly idempotencyKey?: string | undefined
}

type Id = keyof OperationTypes
type StreamId = { [Key in Id]: (typeof OPERATIONS)[Key]['streams'] extends true ? Key : never }[Id]
type CallId = Exclude<Id, StreamId>

type PartsOf<Key extends Id> = {
  readonly [
    Part in 'params' | 'query' | 'body' as OperationTypes[Key][Part] extends undefined ? never : Part
  ]: OperationTypes[Key][Part]
}

interface StreamPorts {
  readonly signal: AbortSignal | undefined
  readonly justification?: string | undefined
  onOpen(): void
  /** Receives the stream's position while it has nothing to report. */
  onPosition?(id: string): void
}

/** The operations of the service, typed by the OpenAPI document. */
export class Connection {
  readonly #options: SenderState
  readonly #send: ReturnType<typeof createSender>

  constructor(options: SenderOptions) {
    const secret = options.pageSecret ?? keepSecret()
    const baseUrl = readBaseUrl(options.baseUrl)
    this.#options = { ...options, baseUrl, pageSecret: secret, seen: seenBy(options) }
    this.#send = createSender(this.#options)
  }

  get options(): SenderOptions {
    return this.#options
  }

  get pageSecret(): string {
    return this.#options.pageSecret?.() ?? ''
  }

  async call<Key extends CallId>(
    id: Key,
    parts: PartsOf<Key>,
    settings: CallSettings = {},
  ): Promise<OperationTypes[Key]['response']> {
    const answer = await this.#send(OPERATIONS[id], { ...pickSettings(settings), ...parts })
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers against the same schema
    return answer as OperationTypes[Key]['response']
  }

  /** The events of one connection. Throws when it is lost. */
  async *stream<Key extends StreamId>(
    id: Key,
    parts: PartsOf<Key>,
    { signal, justification, onOpen, onPosition }: StreamPorts,
  ): AsyncGenerator<OperationTypes[Key]['response'], void> {
    const { fetch: send = globalThis.fetch, now = Date.now } = this.#options
    const headers = { accept: 'text/event-stream' }
    const request = await prepareRequest(this.#options, OPERATIONS[id], { ...parts, justification, headers })
    for await (const event of readEvents(request, { send, now, signal, onOpen })) {
      if (event.name === 'position' && event.id !== undefined) onPosition?.(event.id)
      // An event name we don't know comes from a newer service.
      if (event.name !== undefined) continue
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      yield event.content as OperationTypes[Key]['response']
    }
  }
}

/** Created on first use: most programs have a key and need none. */
function keepSecret(): () => string {
  let secret: string | undefined
  return () => (secret ??= createRandomId() + createRandomId())
}

/** Our options may also contain request fields, which are not for the sender. */
function pickSettings(settings: CallSettings): CallSettings {
  const { signal, timeoutMs, retries, idempotencyKey, justification, headers } = settings
  return { signal, timeoutMs, retries, idempotencyKey, justification, headers }
}
