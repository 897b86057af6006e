import { createServer } from 'node:net'

// Runs for a moment in the network namespace of a sandbox: listens on the front's loopback port there and hands the
// listening socket to the runner, which then accepts connections itself. Without type annotations, because stripping
// them takes longer than the rest of the start.

const RETRY_MS = 5
const [, , port] = process.argv

const server = createServer()
const listen = () => server.listen({ host: '127.0.0.1', port: Number(port) })
// In an open network there is no loopback until slirp4netns has brought it up.
server.on('error', () => setTimeout(listen, RETRY_MS))
server.once('listening', () => {
  // The parent keeps the namespace.
  process.send?.({ holder: process.ppid }, server, {}, () => process.exit())
})
// Nobody waits for it any more, and its parent may be gone already.
process.once('disconnect', () => process.exit())
listen()
