import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { dirname, basename } from 'node:path'

export interface HttpUpstream {
  readonly url: string
  /** The Authorization headers that came, and how often the repository was asked for. */
  readonly authorizations: ReadonlySet<string>
  stop(): Promise<void>
}

/** A host of git repositories that wants a user name and a password, as small as it can be. */
export async function startHttpUpstream(repo: string, credential: string | RegExp): Promise<HttpUpstream> {
  const isAllowed = (authorization: string) => {
    if (typeof credential === 'string') {
      return authorization === `Basic ${Buffer.from(credential).toString('base64')}`
    }
    return credential.test(Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString())
  }
  const authorizations = new Set<string>()
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers
    const url = new URL(request.url ?? '/', 'http://host')
    if (authorization !== '') authorizations.add(authorization)
    if (url.pathname.startsWith('/gone')) {
      response.writeHead(404).end()
      return
    }
    if (url.pathname.startsWith('/moved')) {
      response.writeHead(301, { location: url.href.replace('/moved', `/${basename(repo)}`) }).end()
      return
    }
    if (!isAllowed(authorization)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: dirname(repo),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_USER: 'tester',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', () => {
      const answer = Buffer.concat(chunks)
      const end = answer.indexOf('\r\n\r\n')
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ')
        if (name !== 'Status') response.setHeader(name, value)
      }
      response.end(answer.subarray(end + 4))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no address')
  return {
    url: `http://127.0.0.1:${address.port}/${basename(repo)}`,
    authorizations,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
