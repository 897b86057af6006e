import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { gitEnvironment, type GitConfig } from '../git/git-environment.ts'
import type { HostGit } from '../git/host-git.ts'

export interface BackendCall {
  readonly git: HostGit
  readonly request: IncomingMessage
  /** The request's body, from `readBody`. */
  readonly body: Readable
  readonly response: ServerResponse
  readonly mirrorDir: string
  /** A resource of the smart protocol: `info/refs`, `git-upload-pack`, `git-receive-pack`. */
  readonly resource: string
  readonly query: string
  readonly config: GitConfig
  readonly hostEnv: Readonly<NodeJS.ProcessEnv>
}

export interface BackendProcess {
  /** File descriptor 3 of git and its hooks. */
  readonly hookChannel: Socket
  /** Resolves when git has finished writing, even if the client doesn't read the response. */
  readonly exited: Promise<void>
  /** Also waits until the whole response was passed on. The response itself is still open. */
  readonly answered: Promise<void>
  kill(): void
}

const MAX_HEADER_BYTES = 16 * 1024

/** Git compresses longer requests. If a request breaks off, the rest is discarded. */
export function readBody(request: IncomingMessage): Readable {
  if (request.headers['content-encoding'] !== 'gzip') return request
  return pipeline(request, createGunzip(), () => request.resume())
}

/** Runs `git http-backend`, streaming in both directions: a pack may be larger than our memory. */
export function startBackend(call: BackendCall): BackendProcess {
  const { request, body, response } = call
  const { child, kill } = call.git.start({
    args: ['http-backend'],
    env: { ...gitEnvironment(call.hostEnv, call.config), ...cgiVariables(call) },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  })
  const { stdin, stdout } = child
  const hookChannel = child.stdio[3]
  if (!stdin || !stdout || !(hookChannel instanceof Socket))
    throw new Error('A process has the pipes it was given')
  stdin.on('error', () => body.resume())
  // The client disconnected mid-request, or before it was read.
  const killUnlessComplete = (): void => void (request.complete || kill())
  request.once('close', killUnlessComplete)
  if (request.destroyed) killUnlessComplete()
  if (response.destroyed) kill()
  body.pipe(stdin)
  hookChannel.on('error', () => undefined)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    hookChannel,
    exited,
    answered: passAnswer(stdout, response),
    kill,
  }
}

function cgiVariables({ request, mirrorDir, resource, query }: BackendCall): Record<string, string> {
  const { headers } = request
  // Without CONTENT_LENGTH, git reads to the end of its input. With it, http-backend would wait in a busy loop for
  // the rest of a broken request, even long after this process has ended.
  return {
    GIT_PROJECT_ROOT: dirname(mirrorDir),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${basename(mirrorDir)}/${resource}`,
    QUERY_STRING: query,
    REQUEST_METHOD: request.method ?? '',
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: 'agent',
    CONTENT_TYPE: headers['content-type'] ?? '',
    ...(typeof headers['git-protocol'] === 'string' && { GIT_PROTOCOL: headers['git-protocol'] }),
  }
}

/** Resolves when git has written its whole response. */
function passAnswer(stdout: Readable, response: ServerResponse): Promise<void> {
  let head = Buffer.alloc(0)
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0 && head.length < MAX_HEADER_BYTES) return
    stdout.off('data', readHead)
    writeHead(response, head.subarray(0, Math.max(end, 0)).toString('latin1'))
    response.write(head.subarray(end + 4))
    stdout.pipe(response, { end: false })
  }
  stdout.on('data', readHead)
  // A client that disconnects must not stop git in the middle of a push: the response is drained.
  response.on('close', () => {
    stdout.unpipe(response)
    stdout.resume()
  })
  return new Promise((resolve) => {
    stdout.once('close', () => {
      if (!response.headersSent) response.writeHead(500)
      resolve()
    })
  })
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    if (name === 'status') status = Number.parseInt(value, 10)
    else if (colon > 0) response.setHeader(name, value)
  }
  response.writeHead(status)
}
