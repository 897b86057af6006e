import {
  decodeBase64,
  encodeBase64Text,
  ErrorEnvelope,
  OPERATIONS,
  validatorFor,
  type Operation,
} from '@skein/contract'
import type { FastifyInstance } from 'fastify'

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as sent, byte for byte. */
  readonly text: string
  readonly body: Record<string, unknown>
  /** The reason of an error. */
  readonly reason: string | undefined
  /** The invalid fields of an error. */
  readonly fields: readonly string[]
  /** The document in `payload`. */
  readonly document: Record<string, unknown>
}

export interface TestRequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH'

/** Sent with the cookie by the pages of all tests. */
export const PAGE_SECRET = 'page-secret-of-the-tests-0123456789-0123456789'

/** Talks to the server as a caller would, and checks every response against the contract. */
export class TestClient {
  readonly #app: FastifyInstance
  readonly key: string | undefined

  constructor(app: FastifyInstance, key: string | undefined) {
    this.#app = app
    this.key = key
  }

  get(path: string, options: TestRequestOptions = {}): Promise<TestAnswer> {
    return this.send('GET', path, undefined, options)
  }

  post(path: string, body: unknown, options: TestRequestOptions = {}): Promise<TestAnswer> {
    return this.send('POST', path, body, options)
  }

  delete(path: string, options: TestRequestOptions = {}): Promise<TestAnswer> {
    return this.send('DELETE', path, undefined, options)
  }

  /** Writes a whole document. */
  write(
    kind: string,
    name: string,
    document: unknown,
    fields: Readonly<Record<string, unknown>> = {},
    options: TestRequestOptions = {},
  ): Promise<TestAnswer> {
    const payload = encodeBase64Text(JSON.stringify(document))
    return this.post(`/v1/catalog/${kind}/${name}`, { payload, ...fields }, options)
  }

  read(kind: string, name: string, options: TestRequestOptions = {}): Promise<TestAnswer> {
    return this.get(`/v1/catalog/${kind}/${name}`, options)
  }

  async send(
    method: Method,
    path: string,
    body: unknown,
    { headers = {}, query = {} }: TestRequestOptions = {},
  ): Promise<TestAnswer> {
    const response = await this.#app.inject({
      method,
      url: path,
      query: { ...query },
      headers: {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // As the dashboard does.
        ...('cookie' in headers && { 'x-skein-page-secret': PAGE_SECRET }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer = toAnswer(response.statusCode, response.headers, response.body)
    requireContract(method, path, answer)
    return answer
  }
}

function toAnswer(status: number, headers: Record<string, unknown>, text: string): TestAnswer {
  const body = asRecord(safeParse(text))
  const details = Array.isArray(body['details']) ? body['details'].map(asRecord) : []
  const reason = details.find((detail) => 'reason' in detail)?.['reason']
  const violations = details.flatMap((detail) => {
    const list = detail['fieldViolations']
    return Array.isArray(list) ? list.map(asRecord) : []
  })
  const payload = typeof body['payload'] === 'string' ? decodeBase64(body['payload']) : undefined
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    text,
    body,
    reason: typeof reason === 'string' ? reason : undefined,
    fields: violations.map((violation) => String(violation['field'])),
    document: payload ? asRecord(safeParse(new TextDecoder().decode(payload))) : {},
  }
}

/** A success has every field the contract promises; anything else has the error envelope. */
function requireContract(method: Method, path: string, { status, body, text, headers }: TestAnswer): void {
  const operation = findOperation(method, path)
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !operation) return
  const schema = isSuccess && operation ? operation.response : ErrorEnvelope
  const violations = validatorFor(schema).violations(body)
  if (violations.length > 0 || headers['x-request-id'] === undefined) {
    throw new Error(
      `${method} ${path} broke the contract (${status}): ${JSON.stringify(violations)}\n${text}`,
    )
  }
}

function findOperation(method: Method, path: string): Operation | undefined {
  const bare = path.split('?', 1)[0] ?? ''
  return OPERATIONS.find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(bare),
  )
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
