import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { installConnectionClose } from '../../src/plugins/connection-close.ts'

/** Longer than a stopping server waits for the first byte of a connection. */
const BUSY_MS = 700

async function startStopping() {
  const app = fastify({ return503OnClosing: false, forceCloseConnections: 'idle' })
  installConnectionClose(app, new AbortController().signal, 0)
  const isStopping = new Promise<void>((resolve) => app.addHook('preClose', async () => resolve()))
  app.get('/', async () => 'served')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  const closed = once(socket, 'close').then(() => received)
  await Promise.all([accepted, once(socket, 'connect')])
  const stopped = app.close()
  await isStopping
  return { socket, closed, stopped }
}

test('a request is answered if it arrives while a stopping server is busy', async () => {
  const { socket, closed, stopped } = await startStopping()
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  // The server is in this process: it reads nothing meanwhile, and then its timer is due first.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
  expect(await closed).toMatch(/^HTTP\/1\.1 200 .*served$/s)
  await stopped
})

test('a connection without a request does not keep a server from stopping', async () => {
  const { closed, stopped } = await startStopping()
  await stopped
  expect(await closed).toBe('')
})
