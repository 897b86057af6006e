import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutboundAddresses, parseAllowedReceivers } from '../../src/automations/outbound-addresses.ts'
import { OutboundPosts } from '../../src/automations/outbound-post.ts'

/** Must never see a connection unless a test allows it. */
let listener: Server
let connections = 0
let port = 0
let reply: (path: string) => { status: number; headers?: Record<string, string>; body?: string | Buffer }

beforeAll(async () => {
  listener = createServer((request, response) => {
    const { status, headers = {}, body = '' } = reply(request.url ?? '')
    response.writeHead(status, headers).end(body)
  })
  listener.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
  port = (listener.address() as AddressInfo).port
  reply = () => ({ status: 200 })
})

afterAll(async () => {
  listener.closeAllConnections()
  await new Promise((resolve) => listener.close(resolve))
})

function posts(allow = '', servers?: string[]): OutboundPosts {
  const addresses = new OutboundAddresses(parseAllowedReceivers(allow))
  if (servers) addresses.useServers(servers)
  return new OutboundPosts(addresses, { userAgent: 'skein/test', proxy: '' })
}

const to = (url: string, by = posts()) => by.post({ sender: 'acme/hook', url, headers: {}, body: '{}' })

test.each([
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[fec0::1]',
])('a request to %s is refused and makes no connection', async (host) => {
  const before = connections
  await expect(to(`http://${host}:${port}/`)).rejects.toThrow(/not a public address|could not be resolved/)
  expect(connections).toBe(before)
})

/** A name server that answers each question with the next address. */
async function nameServer(
  answers: readonly string[],
): Promise<{ server: string; asked: () => number; close(): void }> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (question, from) => {
    const type = question.readUInt16BE(question.indexOf(0, 12) + 1)
    const end = question.indexOf(0, 12) + 5
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(type === 1 ? 1 : 0, 6)
    header.writeUInt16BE(0, 8)
    header.writeUInt16BE(0, 10)
    if (type !== 1)
      return socket.send(Buffer.concat([header, question.subarray(12, end)]), from.port, from.address)
    const address = answers[Math.min(asked, answers.length - 1)] ?? ''
    asked += 1
    const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
    socket.send(Buffer.concat([header, question.subarray(12, end), record]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: () => void socket.close(),
  }
}

test('a name that resolves to an inside address is refused', async () => {
  const dns = await nameServer(['127.0.0.1'])
  const before = connections
  await expect(to(`http://hooks.example.com:${port}/`, posts('', [dns.server]))).rejects.toThrow(
    'not a public address',
  )
  expect(connections).toBe(before)
  dns.close()
})

test('a name that resolves to a public address first and to an inside one then changes nothing', async () => {
  const dns = await nameServer(['203.0.112.1', '127.0.0.1'])
  const before = connections
  await expect(to(`http://rebind.example.com:${port}/`, posts('203.0.112.1', [dns.server]))).rejects.toThrow(
    /./,
  )
  // It was asked once: the connection went to what was checked.
  expect(dns.asked()).toBe(1)
  expect(connections).toBe(before)
  dns.close()
}, 30_000)

test('a redirect is not followed', async () => {
  reply = (path) =>
    path === '/' ? { status: 307, headers: { location: `http://127.0.0.1:${port}/inside` } } : { status: 200 }
  const seen: string[] = []
  listener.on('request', (request) => seen.push(request.url ?? ''))
  const answer = await to(`http://127.0.0.1:${port}/`, posts('127.0.0.1'))
  expect(answer.status).toBe(307)
  expect(seen).toEqual(['/'])
})

test('proxies of the environment are ignored', async () => {
  reply = () => ({ status: 200, body: 'direct' })
  process.env['HTTP_PROXY'] = 'http://127.0.0.1:1'
  try {
    expect((await to(`http://127.0.0.1:${port}/`, posts('127.0.0.1'))).body).toBe('direct')
  } finally {
    delete process.env['HTTP_PROXY']
  }
})

test('no more than 64 KiB of a response are read', async () => {
  reply = () => ({ status: 200, body: Buffer.alloc(5_000_000, 'x') })
  expect((await to(`http://127.0.0.1:${port}/`, posts('127.0.0.1'))).body).toHaveLength(65_536)
})

test('an operator can allow a host, an address or a block', async () => {
  reply = () => ({ status: 204 })
  for (const allow of ['127.0.0.1', '127.0.0.0/8', 'other.example.com, 127.0.0.1/32']) {
    expect((await to(`http://127.0.0.1:${port}/`, posts(allow))).status).toBe(204)
  }
  expect((await to(`http://localhost:${port}/`, posts('localhost'))).status).toBe(204)
  await expect(to(`http://127.0.0.1:${port}/`, posts('10.0.0.0/8,localhost'))).rejects.toThrow(
    'not a public address',
  )
})

test('requests of one sender that hang do not hold up those of another to the same host', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const host = createServer((request, response) => {
    if (request.url === '/hang') void released.then(() => response.end())
    else response.end()
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const by = posts('127.0.0.1')
  const send = (sender: string, path: string) =>
    by.post({ sender, url: `${base}${path}`, headers: {}, body: '{}' })
  const hanging = Array.from({ length: 40 }, () => send('rival/hook', '/hang'))
  try {
    await expect(send('acme/hook', '/')).resolves.toMatchObject({ status: 200 })
  } finally {
    release()
  }
  await Promise.all(hanging)
  by.close()
  host.closeAllConnections()
  host.close()
})
