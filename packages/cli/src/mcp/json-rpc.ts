import { readLines } from './read-lines.ts'

/** More than the longest message the service accepts. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024

const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
} as const

/** An error with a JSON-RPC code. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number

  constructor(kind: keyof typeof CODES, message: string) {
    super(message)
    this.code = CODES[kind]
  }
}

export type Params = Readonly<Record<string, unknown>>

/** The signal is aborted when the client cancels the request or disconnects. */
export type Method = (params: Params, signal: AbortSignal) => unknown

type RequestId = string | number

/**
 * Serves a client that sends one JSON-RPC message per line, as MCP does over standard input and output, until the
 * input ends. Requests run concurrently: waiting for an agent doesn't block others.
 */
export async function serveJsonRpc(
  input: AsyncIterable<string | Buffer>,
  methods: ReadonlyMap<string, Method>,
  writeLine: (line: string) => void,
): Promise<void> {
  const running = new Map<RequestId, AbortController>()
  const send = (id: RequestId | null, answer: object): void =>
    writeLine(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))

  const run = async (id: RequestId, name: string, params: unknown): Promise<void> => {
    const stopping = new AbortController()
    running.set(id, stopping)
    const answer = await call(methods.get(name), name, params, stopping.signal)
    running.delete(id)
    // Nobody is waiting for the answer anymore.
    if (!stopping.signal.aborted) send(id, answer)
  }

  const abort = (params: unknown): void => {
    const named = typeof params === 'object' && params !== null && 'requestId' in params && params.requestId
    for (const [id, stopping] of running) if (id === named) stopping.abort()
  }

  const receive = (message: Params): void => {
    const { id, method, params } = message
    // A response, although we sent no request.
    if (method === undefined && ('result' in message || 'error' in message)) return
    if (typeof method !== 'string') throw new JsonRpcError('request', 'The message has no method.')
    if (typeof id === 'string' || typeof id === 'number') void run(id, method, params)
    else if ('id' in message) throw new JsonRpcError('request', 'The id must be a string or a number.')
    else if (method === 'notifications/cancelled') abort(params)
  }

  for await (const line of readLines(input, MAX_LINE_LENGTH)) {
    try {
      receive(parse(line))
    } catch (error) {
      send(null, { error: describe(error) })
    }
  }
  for (const stopping of running.values()) stopping.abort()
}

async function call(
  method: Method | undefined,
  name: string,
  params: unknown,
  signal: AbortSignal,
): Promise<object> {
  try {
    if (method === undefined) throw new JsonRpcError('method', `Unknown method: ${name}.`)
    return { result: await method(asObject(params), signal) }
  } catch (error) {
    return { error: describe(error) }
  }
}

function parse(line: string | undefined): Params {
  if (line === undefined)
    throw new JsonRpcError('parse', `A line can have at most ${MAX_LINE_LENGTH} characters.`)
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    throw new JsonRpcError('parse', 'The line is not JSON.')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new JsonRpcError('request', 'Each line must contain exactly one message, as a JSON object.')
  }
  return { ...message }
}

/** Missing parameters count as empty. */
export function asObject(value: unknown = {}): Params {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new JsonRpcError('params', 'Parameters and arguments must be objects.')
}

function describe(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof JsonRpcError) return { code: error.code, message: error.message }
  return { code: CODES.internal, message: error instanceof Error ? error.message : String(error) }
}
