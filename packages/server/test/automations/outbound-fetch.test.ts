import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutboundAddresses, parseAllowedReceivers } from '../../src/automations/outbound-addresses.ts'
import { OutboundFetch } from '../../src/automations/outbound-fetch.ts'

let host: Server
let url = ''
let connections = 0
let answer: RequestListener

beforeAll(async () => {
  host = createServer((request, response) => answer(request, response))
  host.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})

afterAll(async () => {
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
})

function fetchWith(allow: string) {
  return new OutboundFetch(new OutboundAddresses(parseAllowedReceivers(allow)), { proxy: '' }).fetch
}

test('an address inside is not contacted unless the operator allows it', async () => {
  connections = 0
  for (const inside of [url, url.replace('127.0.0.1', '0x7f.1'), url.replace('127.0.0.1', '[::1]')]) {
    await expect(fetchWith('')(inside)).rejects.toThrow('not a public address')
  }
  expect(connections).toBe(0)
})

test('method, headers and body arrive, and so does the answer', async () => {
  let got: { request: IncomingMessage; body: string } | undefined
  answer = (request, response) => {
    void text(request).then((body) => {
      got = { request, body }
      response.writeHead(201, { 'content-type': 'application/json', 'x-ratelimit-remaining': '7' })
      response.end('{"number":1}')
    })
  }
  const init = { method: 'POST', body: '{"a":"ü"}', headers: { authorization: 'token t' } }
  const response = await fetchWith('127.0.0.1')(`${url}/repos?page=2`, init)
  expect(got?.request).toMatchObject({ method: 'POST', url: '/repos?page=2' })
  expect(got?.request.headers).toMatchObject({ authorization: 'token t', 'accept-encoding': 'identity' })
  expect(got?.body).toBe('{"a":"ü"}')
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([201, '7'])
  expect(await response.json()).toEqual({ number: 1 })
})

test('an answer without a body is one', async () => {
  answer = (_request, response) => void response.writeHead(204).end()
  expect((await fetchWith('127.0.0.1')(url)).status).toBe(204)
})

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  connections = 0
  const paths: string[] = []
  answer = (request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(status, { location: `${url}/inside` }).end()
  }
  await expect(fetchWith('127.0.0.1')(`${url}/outside`)).rejects.toThrow('redirects elsewhere')
  expect(paths).toEqual(['/outside'])
})

test('who wants to know where a redirect leads is told', async () => {
  answer = (_request, response) => void response.writeHead(302, { location: 'https://logs.test/1' }).end()
  const response = await fetchWith('127.0.0.1')(url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://logs.test/1'])
})

test('of a long log, the end can be read', async () => {
  answer = (_request, response) => {
    response.write(Buffer.alloc(10 * 1024 * 1024, 'x'))
    response.end('the end')
  }
  const response = await fetchWith('127.0.0.1')(url, { keepEnd: 10 })
  expect([await response.text(), response.headers.get('content-length')]).toEqual(['xxxthe end', '10'])
})

test('an answer of 10 MB is cut off', async () => {
  answer = (_request, response) => void response.end(Buffer.alloc(10 * 1024 * 1024, 'x'))
  await expect(fetchWith('127.0.0.1')(url)).rejects.toThrow('too large')
})

test('an answer that breaks off is an error', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"number":', () => response.destroy())
  }
  await expect(fetchWith('127.0.0.1')(url)).rejects.toThrow(/aborted|closed the connection/)
})
