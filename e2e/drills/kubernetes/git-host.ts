import { execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export interface GitHost {
  /** Of the one repository it has. */
  readonly url: string
  listBranches(): string[]
  close(): void
}

/** A git host that pods can reach, with one repository that everybody may write to. */
export async function startGitHost(folder: string, address: string): Promise<GitHost> {
  const repository = join(folder, 'sample.git')
  const seed = join(folder, 'seed')
  git('init', '--quiet', '--initial-branch', 'main', seed)
  git('-C', seed, 'commit', '--quiet', '--allow-empty', '--message', 'Start')
  git('clone', '--quiet', '--bare', seed, repository)
  git('-C', repository, 'config', 'http.receivepack', 'true')
  const server = createServer((request, response) => answer(folder, request, response))
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${address}:${port}/sample.git`,
    listBranches: () =>
      git('-C', repository, 'branch', '--list', '--format=%(refname:short)').split('\n').filter(Boolean),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** git has its own CGI program. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const whole = Buffer.concat(chunks)
    const end = whole.indexOf('\r\n\r\n')
    for (const line of whole.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ')
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(whole.subarray(end + 4))
  })
}

function git(...args: string[]): string {
  const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']
  return execFileSync('git', [...author, ...args], { encoding: 'utf8' })
}
