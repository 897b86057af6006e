import { spawn } from 'node:child_process'
import { closeSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'
import { pipeline } from 'node:stream'

// Runs inside a sandbox without network, as the parent of the real program. It forwards the front's loopback port to
// the front's socket. It never prints, because its streams are the program's. Without type annotations, because Node
// runs it as plain JavaScript: stripping types would take longer than the rest of the start.

const [, , port, socketPath = '', commandFd] = process.argv

// Not in the environment or the arguments: Node itself would react to some of the program's variables.
const fields = readFileSync(Number(commandFd), 'utf8').split('\0')
closeSync(Number(commandFd))
const [workDir = '/', program = '', argCount, ...rest] = fields
const args = rest.slice(0, Number(argCount))
// All that bubblewrap left in it is its own PWD.
const env = { ...process.env }
delete env['PWD']
for (const line of rest.slice(Number(argCount))) {
  const [name = ''] = line.split('=', 1)
  env[name] = line.slice(name.length + 1)
}

process.on('uncaughtException', () => process.exit(125))

const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socketPath, allowHalfOpen: true })
  pipeline(inside, outside, () => undefined)
  pipeline(outside, inside, () => undefined)
})

server.listen({ host: '127.0.0.1', port: Number(port) }, () => {
  // Before the start, because the program may send a signal immediately.
  process.on('SIGHUP', (signal) => child.kill(signal))
  process.on('SIGINT', (signal) => child.kill(signal))
  process.on('SIGQUIT', (signal) => child.kill(signal))
  process.on('SIGTERM', (signal) => child.kill(signal))
  process.on('SIGUSR1', (signal) => child.kill(signal))
  process.on('SIGUSR2', (signal) => child.kill(signal))
  const child = spawn(program, args, {
    cwd: workDir,
    env,
    stdio: 'inherit',
    // A separate process group: a script that kills its whole group would kill the bridge.
    detached: true,
  })
  child.once('error', (error) => process.exit('code' in error && error.code === 'ENOENT' ? 127 : 126))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
})
