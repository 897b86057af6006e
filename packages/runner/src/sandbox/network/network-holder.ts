import { closeSync, writeSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

// Runs in the network namespace of a sandbox with an open network, and on the host in every other respect: it keeps
// the namespace, and makes the front's port on the loopback there lead to the front's socket. It goes when its input
// ends, which is when the runner goes.
// Like the bridge it has no type annotations, because stripping them takes longer than all the rest of the start.

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
// There is no loopback before slirp4netns has brought it up.
server.on('error', () => setTimeout(listen, RETRY_MS))
server.once('listening', () => {
  writeSync(4, 'listening\n')
  closeSync(4)
})
listen()
