import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PATH = '/v1/catalog/persona/huge'
const TOO_LARGE = 8 * 1024 * 1024
const PYTHON = `
import sys, urllib.request, urllib.error
url, key, size = sys.argv[1:]
headers = {'authorization': 'Bearer ' + key, 'content-type': 'application/json'}
try:
    urllib.request.urlopen(urllib.request.Request(url, b'x' * int(size), headers))
except urllib.error.HTTPError as error:
    print(error.code)
`
let server: TestServer
let tenant: TestTenant
let base: string

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
  base = await server.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => server.close())

const authorization = () => `Bearer ${tenant.admin.key}`

const headOf = (length: number) =>
  `POST ${PATH} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization()}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

describe('a client that sends too much reads the answer that says so', () => {
  test('fetch', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 10; count++) {
      const { status } = await fetch(base + PATH, {
        method: 'POST',
        headers: { authorization: authorization(), 'content-type': 'application/json' },
        body: 'x'.repeat(TOO_LARGE),
      })
      statuses.push(status)
    }
    expect(new Set(statuses)).toEqual(new Set([413]))
  })

  test('fetch of a body whose length is not known', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(120)
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let sent = 0; sent < TOO_LARGE; sent += chunk.length) controller.enqueue(chunk)
        controller.close()
      },
    })
    const answer = await fetch(base + PATH, {
      method: 'POST',
      headers: { authorization: authorization(), 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
  })

  test.each([['with', []] as const, ['without', ['-H', 'expect:']] as const])(
    'curl, %s waiting for the server to continue',
    async (_what, more) => {
      const options = ['-sS', '-w', '%{http_code}', '-o', '/dev/null', '--data-binary', '@-', ...more]
      const headers = ['-H', `authorization: ${authorization()}`, '-H', 'content-type: application/json']
      const command = promisify(execFile)('curl', [...options, ...headers, base + PATH])
      command.child.stdin?.on('error', () => undefined).end('x'.repeat(TOO_LARGE))
      expect((await command).stdout).toBe('413')
    },
  )

  test('Python', async ({ skip }) => {
    const args = ['-c', PYTHON, base + PATH, tenant.admin.key ?? '', String(TOO_LARGE)]
    const answer = await promisify(execFile)('python3', args).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (answer === undefined) return skip('there is no Python')
    expect(answer.stdout.trim()).toBe('413')
  })

  test('a client that writes everything before it reads', async () => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1').pause()
    socket.write(headOf(TOO_LARGE))
    await new Promise((resolve) => socket.write('x'.repeat(TOO_LARGE), resolve))
    expect(await readText(socket)).toMatch(/^HTTP\/1\.1 413 .*BODY_TOO_LARGE/s)
  })
})

test('a client that sends a body with a GET and closes the connection reads the whole response', async () => {
  for (let index = 0; index < 40; index++) await tenant.admin.write('persona', `p-${index}`, {})
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(
    `GET /v1/audit HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization()}\r\n` +
      `connection: close\r\ncontent-length: ${TOO_LARGE}\r\n\r\n`,
  )
  socket.write('x'.repeat(TOO_LARGE))
  const [head = '', body = ''] = (await readText(socket)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect((JSON.parse(body) as { entries: unknown[] }).entries.length).toBeGreaterThan(40)
})

test('a client that never stops sending is cut off', async () => {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))
  socket.write(headOf(1024 ** 3))
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const send = (): void => void (socket.writable && socket.write(chunk, send))
  send()
  await closed
  expect(socket.bytesWritten).toBeLessThan(512 * 1024 * 1024)
})
