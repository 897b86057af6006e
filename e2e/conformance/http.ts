import type { Answer, ErrorBody } from './answers.ts'
import type { EveryAnswer } from './every-answer.ts'

export interface CallOptions {
  /** Another caller's key; null sends none. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  /** A body sent unchanged. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

export interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  readonly dashboardUrl: string
}

/** The service as any HTTP client sees it. */
export class Http {
  readonly service: Service
  readonly #every: EveryAnswer

  constructor(service: Service, every: EveryAnswer) {
    this.service = service
    this.#every = every
  }

  async call<Body = object>(
    method: string,
    path: string,
    body?: unknown,
    { key = this.service.apiKey, headers = {}, raw, signal }: CallOptions = {},
  ): Promise<Answer<Body>> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(this.service.baseUrl + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    const answer: Answer<Body> = {
      request: `${method} ${path} ${typeof sent === 'string' ? sent.slice(0, 200) : ''}`,
      status: response.status,
      text,
      json: parse(text) as Body & Partial<ErrorBody>,
      headers: response.headers,
    }
    if (path.startsWith('/v1/')) this.#every.inspect(answer)
    return answer
  }

  post<Body = object>(path: string, body?: unknown, options?: CallOptions): Promise<Answer<Body>> {
    return this.call('POST', path, body, options)
  }

  get<Body = object>(path: string, options?: CallOptions): Promise<Answer<Body>> {
    return this.call('GET', path, undefined, options)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
