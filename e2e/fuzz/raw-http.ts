import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from './check.ts'
import type { FuzzRequest } from './requests.ts'
import type { Random } from '@skein/testkit'

const IDLE_MS = 30_000
const PATIENCE_MS = 300
const PART_PAUSE_MS = 20
/** How long to read a stream after its first bytes. */
const STREAM_MS = 20

interface Parts {
  readonly line: string
  readonly fields: Readonly<Record<string, string>>
  readonly body: Buffer
}

function partsOf(
  { method, url, headers, body }: FuzzRequest,
  key: string | undefined,
  connection = 'close',
): Parts {
  return {
    line: `${method} ${url.replaceAll(/[\s#]/g, '')} HTTP/1.1`,
    fields: {
      host: 'localhost',
      connection,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
      'content-length': String(body?.length ?? 0),
    },
    body: body ?? Buffer.alloc(0),
  }
}

function head(line: string, fields: Readonly<Record<string, string>>, end = '\r\n\r\n'): Buffer {
  const lines = [line, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)]
  return Buffer.from(lines.join('\r\n') + end, 'latin1')
}

/** The correct request. */
export function wholeBytes(request: FuzzRequest, key: string | undefined, connection?: string): Buffer {
  const { line, fields, body } = partsOf(request, key, connection)
  return Buffer.concat([head(line, fields), body])
}

/** The request, or a broken version that only a socket can carry. */
export function brokenBytes(random: Random, request: FuzzRequest, key: string | undefined): Buffer {
  const { line, fields, body } = partsOf(request, key)
  const whole = Buffer.concat([head(line, fields), body])
  const length = (count: number) =>
    Buffer.concat([head(line, { ...fields, 'content-length': String(count) }), body])
  return random.weighted<() => Buffer>([
    [4, () => whole],
    [3, () => whole.subarray(0, random.below(whole.length))],
    [2, () => length(body.length + 1 + random.below(1_000))],
    [2, () => length(random.below(body.length + 1))],
    [
      1,
      () =>
        Buffer.concat([
          head(line, {
            ...fields,
            'content-length': random.pick(['-1', 'x', '1e3', '99999999999999999999']),
          }),
          body,
        ]),
    ],
    [1, () => Buffer.concat([head(line, { ...fields, 'transfer-encoding': 'chunked' }), body])],
    [
      2,
      () =>
        chunked(
          random,
          head(line, { ...fields, 'content-length': '', 'transfer-encoding': 'chunked' })
            .toString('latin1')
            .replace('content-length: \r\n', ''),
          body,
        ),
    ],
    [1, () => Buffer.concat([whole, random.bytes(40)])],
    [1, () => Buffer.concat([head(line, { ...fields, connection: 'keep-alive' }), body, whole])],
    [
      1,
      () =>
        Buffer.concat([
          head(line.replace('1.1', random.pick(['1.0', '0.9', '2.0', '9.9', 'x'])), fields),
          body,
        ]),
    ],
    [
      1,
      () => head(`${random.pick(['BREW', 'get', '', 'CONNECT', 'PRI *'])} ${request.url} HTTP/1.1`, fields),
    ],
    [1, () => head(line, { ...fields, 'x-padding': 'y'.repeat(random.pick([8_000, 17_000, 70_000])) })],
    [1, () => head(line, { ...fields, 'bad header': 'x', 'x-bad': '\u0000\u0001' })],
    [1, () => head(line, fields, random.pick(['', '\n\n', '\r\r', '\r\n \r\n\r\n']))],
    [1, () => random.bytes(1 + random.below(200))],
  ])()
}

function chunked(random: Random, start: string, body: Buffer): Buffer {
  const size = random.pick([body.length.toString(16), 'ffffffffffffffff', 'zz', '-1', '1;ext=1', ''])
  const ending = random.pick(['\r\n0\r\n\r\n', '\r\n0\r\n', '', '\r\n0\r\nx-trailer: 1\r\n\r\n'])
  return Buffer.concat([Buffer.from(`${start}${size}\r\n`), body, Buffer.from(ending)])
}

interface SendOptions {
  readonly method: string
  /** For operations that wait: if there is no response by then, there won't be one. */
  readonly hangUpAfterMs?: number
  /** Sends the bytes in this many parts, with pauses in between. */
  readonly parts?: number
}

/** All responses before the connection was closed. For half a request, no response is correct. */
export function sendBytes(port: number, bytes: Buffer, options: SendOptions): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.setTimeout(IDLE_MS, () => {
      reject(new Error(`no answer and no end within ${IDLE_MS} ms`))
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      received.push(chunk)
      if (options.hangUpAfterMs !== undefined) setTimeout(() => socket.destroy(), STREAM_MS)
    })
    // The server may close before it has read everything: only what it sent until then counts.
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    const patience = setTimeout(() => {
      if (options.hangUpAfterMs !== undefined) socket.destroy()
      // Half a request is never answered, and a keep-alive connection is never closed: both end when we do.
      else socket.end()
    }, options.hangUpAfterMs ?? PATIENCE_MS)
    socket.on('close', () => {
      clearTimeout(patience)
      try {
        resolve(readAnswers(Buffer.concat(received), options.method))
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
    void writeSlowly(socket, bytes, options.parts ?? 1)
  })
}

async function writeSlowly(socket: Socket, bytes: Buffer, parts: number): Promise<void> {
  const size = Math.ceil(bytes.length / parts)
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    if (at > 0) await pause(PART_PAUSE_MS)
    socket.write(bytes.subarray(at, at + size))
  }
}

/** The first response received so far; undefined while incomplete. All our responses have a length. */
export function readAnswer(bytes: Buffer, method: string): Answer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const { status, headers } = readHead(bytes.subarray(0, headEnd))
  const start = headEnd + 4
  const end = start + (method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0))
  if (status < 200) return readAnswer(bytes.subarray(end), method)
  return bytes.length < end ? undefined : { status, headers, text: bytes.subarray(start, end).toString() }
}

function readHead(bytes: Buffer): Pick<Answer, 'status' | 'headers'> {
  const [line = '', ...fields] = bytes.toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
  if (Number.isNaN(status)) throw new Error(`not an HTTP answer: ${bytes.subarray(0, 200).toString()}`)
  const headers = Object.fromEntries(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  return { status, headers }
}

function readAnswers(bytes: Buffer, method: string): Answer[] {
  const answers: Answer[] = []
  for (let rest = bytes; rest.length > 0;) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) throw new Error(`not an HTTP answer: ${rest.subarray(0, 200).toString()}`)
    const { status, headers } = readHead(rest.subarray(0, headEnd))
    const start = headEnd + 4
    // A stream has no length and, unless we disconnect, no end.
    if (headers['content-type']?.startsWith('text/event-stream'))
      return [...answers, { status, headers, text: rest.subarray(start).toString() }]
    // A HEAD response has no body, unless the server could not even parse the method.
    const hasBody = method !== 'HEAD' || rest.subarray(start).toString('latin1', 0, 1) === '{'
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    const end = start + length
    if (status >= 200) answers.push({ status, headers, text: rest.subarray(start, end).toString() })
    rest = rest.subarray(end)
  }
  return answers
}
