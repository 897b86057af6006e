import { closeSync, writeSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

// Runs in the network namespace of a sandbox with an open network, but otherwise on the host. It keeps the namespace
// alive and forwards the front's loopback port there to the front's socket. It exits when its input ends, that is,
// with the runner. Like the bridge it has no type annotations, because stripping them takes longer than the rest of
// the start.

const [, , port, socketPath = ''] = process.argv
const RETRY_MS = 5

process.stdin.on('end', () => process.exit()).on('error', () => process.exit())
process.stdin.resume()

const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socketPath, allowHalfOpen: true })
  pipeline(inside, outside, () => undefined)
  pipeline(outside, inside, () => undefined)
})

const listen = () => server.listen({ host: '127.0.0.1', port: Number(port) })
// There is no loopback until slirp4netns has brought it up.
server.on('error', () => setTimeout(listen, RETRY_MS))
server.once('listening', () => {
  writeSync(4, 'listening\n')
  closeSync(4)
})
listen()
