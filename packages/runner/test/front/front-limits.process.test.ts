import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { waitFor } from '@skein/testkit'
import { afterEach, expect, test } from 'vitest'
import type { FrontLimits } from '../../src/front/front-limits.ts'
import { Front, mintToken, type FrontService } from '../../src/front/front.ts'

let front: Front | undefined
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await front?.close()
})

/** Answers those whose token is on the list, a path of `/slow` never. */
class Listed implements FrontService {
  readonly tokens = new Set<string>()
  served = 0

  knownToken({ headers }: Parameters<FrontService['knownToken']>[0]): string | undefined {
    const token = headers.authorization ?? ''
    return this.tokens.has(token) ? token : undefined
  }

  readonly handle: FrontService['handle'] = async (_request, response, path) => {
    this.served += 1
    if (path !== '/slow') response.end('served')
  }

  turnAway: FrontService['turnAway'] = (_request, response) => void response.writeHead(401).end('away')
}

async function listen(limits: Partial<FrontLimits> = {}) {
  const service = new Listed()
  front = new Front({ model: service }, { limits })
  const shared = await front.listen()
  return { service, shared, front }
}

interface Line {
  readonly socket: Socket
  /** All that came so far. */
  text(): string
}

async function dial({ port }: { readonly port: number }): Promise<Line> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, text: () => text }
}

const get = (path: string, token: string): string =>
  `GET /model${path} HTTP/1.1\r\nHost: front\r\nAuthorization: ${token}\r\n\r\n`

async function ask(where: Parameters<typeof dial>[0], token: string, path = '/x'): Promise<string> {
  const line = await dial(where)
  line.socket.write(get(path, token))
  await waitFor(() => line.text().includes('\r\n\r\n'), { what: 'an answer' })
  return line.text().slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
}

/** A door with a socket that listens somewhere, as in the network of a sandbox. */
async function openAt(open: Front, options: Parameters<Front['openDoor']>[0]) {
  const listener = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const door = open.openDoor(options)
  door.address.serve(listener)
  return { ...door, where: { port } }
}

test('an agent that keeps all its connections open keeps nobody else out', async () => {
  const { service, front: open } = await listen({ connections: 4 })
  const [hostile, other] = [await openAt(open, { isOnPort: false }), await openAt(open, { isOnPort: false })]
  const held = await Promise.all(Array.from({ length: 12 }, () => dial(hostile.where)))
  await waitFor(() => held.filter(({ socket }) => socket.closed).length === 8, { what: 'the rest to be cut' })
  const token = mintToken(other.address)
  service.tokens.add(token)
  expect(await ask(other.where, token)).toBe('200')
})

test('on the shared port the connections of a token are limited', async () => {
  const { service, shared } = await listen({ connections: 3 })
  service.tokens.add('one').add('two')
  const statuses: string[] = []
  for (let index = 0; index < 5; index += 1) statuses.push(await ask(shared, 'one'))
  expect(statuses).toEqual(['200', '200', '200', '429', '429'])
  expect(await ask(shared, 'two')).toBe('200')
})

test('on the shared port, connections without a token are dropped for newer ones, and those with a token never are', async () => {
  const { service, shared } = await listen({ strangers: 5 })
  service.tokens.add('good')
  const known = await dial(shared)
  known.socket.write(get('/slow', 'good'))
  await waitFor(() => service.served === 1, { what: 'the request' })
  const strangers: Line[] = []
  for (let index = 0; index < 20; index += 1) strangers.push(await dial(shared))
  await waitFor(() => strangers.filter(({ socket }) => socket.closed).length === 15, { what: 'room' })
  expect(strangers.slice(-5).every(({ socket }) => !socket.closed)).toBe(true)
  expect(known.socket.closed).toBe(false)
  expect(await ask(shared, 'good')).toBe('200')
})

test('a token of one agent is worth nothing at another’s door, nor on the port', async () => {
  const { service, shared, front: open } = await listen()
  const [own, other] = [await openAt(open, { isOnPort: false }), await openAt(open, { isOnPort: false })]
  const token = mintToken(own.address)
  service.tokens.add(token)
  expect(await ask(own.where, token)).toBe('200')
  expect(await ask(other.where, token)).toBe('401')
  expect(await ask(shared, token)).toBe('401')
})

test('a token of an agent on the host’s network is good on the port, and at its own door', async () => {
  const { service, shared, front: open } = await listen()
  const [own, other] = [await openAt(open, { isOnPort: true }), await openAt(open, { isOnPort: false })]
  const token = mintToken(own.address)
  service.tokens.add(token)
  expect(await ask(shared, token)).toBe('200')
  expect(await ask(own.where, token)).toBe('200')
  expect(await ask(other.where, token)).toBe('401')
})

test('a door that was closed is gone', async () => {
  const { front: open } = await listen()
  const door = await openAt(open, { isOnPort: false })
  const line = await dial(door.where)
  await door.close()
  await waitFor(() => line.socket.closed, { what: 'the connection to be cut' })
  const [error] = (await once(connect(door.where.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
})

test('requests sent ahead of their turn cut the connection, and are not taken', async () => {
  const { service, shared } = await listen()
  service.tokens.add('good')
  const line = await dial(shared)
  line.socket.write(get('/slow', 'good').repeat(50))
  await waitFor(() => line.socket.closed, { what: 'the connection to be cut' })
  expect(service.served).toBe(1)
})

test.each([
  ['nothing at all', ''],
  ['half of a header', 'GET /model/x HTTP/1.1\r\nHost: fro'],
])('a connection that brings %s is cut after a while', async (_what, bytes) => {
  const { shared } = await listen({ headersMs: 200 })
  const line = await dial(shared)
  line.socket.write(bytes)
  expect(await waitFor(() => line.socket.closed, { what: 'the connection to be cut' })).toBe(true)
})

test('a request that never ends is cut after a while', async () => {
  const { service, shared } = await listen({ uploadMs: 200, headersMs: 100 })
  service.tokens.add('good')
  const line = await dial(shared)
  line.socket.write(
    'POST /model/slow HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nContent-Length: 9\r\n\r\n{',
  )
  expect(await waitFor(() => line.socket.closed, { what: 'the connection to be cut' })).toBe(true)
})

test('requests come through at a steady rate after a burst, and others are not held up', async () => {
  const { service, shared } = await listen({ requests: { perSecond: 10, burst: 5, maxWaitMs: 400 } })
  service.tokens.add('fast').add('slow')
  const startedAt = performance.now()
  const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(shared, 'fast')))
  // Five at once, four more within 400 ms, and the rest would have had to wait for longer.
  const served = statuses.filter((status) => status === '200').length
  expect(served).toBeGreaterThanOrEqual(9)
  expect(served).toBeLessThan(15)
  expect(performance.now() - startedAt).toBeGreaterThan(300)
  expect(await ask(shared, 'slow')).toBe('200')
})

test('tokens are guessed slowly, one for each connection', async () => {
  const { shared } = await listen({ guesses: { perSecond: 2, burst: 2, maxWaitMs: 1_000 } })
  const line = await dial(shared)
  line.socket.write(get('/x', 'guess'))
  await waitFor(() => line.socket.closed, { what: 'the connection to be cut' })
  expect(line.text()).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i)
  const statuses = await Promise.all(Array.from({ length: 10 }, () => ask(shared, 'guess')))
  expect(statuses.filter((status) => status === '401').length).toBeLessThanOrEqual(4)
})

test.each([
  [
    'a WebSocket',
    'GET /model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    /^HTTP\/1\.1 (?!101)/,
  ],
  [
    'HTTP/2 by upgrade',
    'GET /model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    /^HTTP\/1\.1 (?!101)/,
  ],
  ['HTTP/2 by its first words', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^(HTTP\/1\.1 4|$)/],
  ['a tunnel', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\n\r\n', /^(HTTP\/1\.1 4|$)/],
  [
    'an address elsewhere',
    'GET http://127.0.0.1:1/model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\n\r\n',
    /^HTTP\/1\.1 404/,
  ],
  [
    'two lengths',
    'POST /model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    /^HTTP\/1\.1 400/,
  ],
  [
    'a length and chunks',
    'POST /model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400/,
  ],
  [
    'a second transfer encoding',
    'POST /model/x HTTP/1.1\r\nHost: f\r\nAuthorization: good\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400/,
  ],
  ['a bare line feed', 'GET /model/x HTTP/1.1\nHost: f\nAuthorization: good\n\n', /^HTTP\/1\.1 400/],
  ['a folded header', 'GET /model/x HTTP/1.1\r\nHost: f\r\nAuthorization:\r\n good\r\n\r\n', /^HTTP\/1\.1 4/],
])('%s is not spoken here', async (_what, bytes, expected) => {
  const { service, shared } = await listen({ headersMs: 500 })
  service.tokens.add('good')
  const line = await dial(shared)
  line.socket.write(bytes)
  await waitFor(() => line.text() !== '' || line.socket.closed, { what: 'an answer' })
  expect(line.text()).toMatch(expected)
})
