import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { connect, type ClientHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { root } from './tree.ts'

/** Only root can become another user. */
const isRoot = process.getuid?.() === 0

interface Proxy {
  readonly file: string
  readonly command: readonly string[]
  /** The file with the addresses and certificates of the test. */
  adapt(text: string, test: Place): string
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly upstream: number
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    file: 'nginx.conf',
    command: ['nginx', '-p', '.', '-g', 'daemon off; error_log stderr;', '-c'],
    adapt: (text, { folder, port, upstream }) => `pid ${folder}/pid;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((part) => `${part}_temp_path ${folder}/${part};`).join('\n')}
        ${text
          .replace('listen 443', `listen 127.0.0.1:${port}`)
          .replace('127.0.0.1:8080', `127.0.0.1:${upstream}`)
          .replace('/etc/ssl/skein/fullchain.pem', `${folder}/cert.pem`)
          .replace('/etc/ssl/skein/key.pem', `${folder}/key.pem`)}
      }`,
  },
  caddy: {
    file: 'Caddyfile',
    command: ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
    adapt: (text, { folder, port, upstream }) =>
      `{\n admin off\n auto_https disable_redirects\n storage file_system ${folder}\n}\n${text
        .replace(
          'skein.example.com {',
          `https://skein.example.com:${port} {\n bind 127.0.0.1\n tls ${folder}/cert.pem ${folder}/key.pem`,
        )
        .replace('reverse_proxy 127.0.0.1:8080', `reverse_proxy 127.0.0.1:${upstream}`)}`,
  },
  haproxy: {
    file: 'haproxy.cfg',
    command: ['haproxy', '-db', '-f'],
    adapt: (text, { folder, port, upstream }) =>
      (isRoot ? text : text.replaceAll(/^ +(?:user|group|chroot) .*\n/gm, ''))
        // More needs more open files than a test may have.
        .replace('maxconn 20000', 'maxconn 100')
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replace('/etc/haproxy/skein.pem', `${folder}/both.pem`)
        .replace('127.0.0.1:8080', `127.0.0.1:${upstream}`),
  },
}

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of endings.splice(0).toReversed()) await close()
})

interface Upstream {
  readonly port: number
  readonly seen: IncomingHttpHeaders[]
  readonly streams: ServerResponse[]
  /** When the checks of its health were answered. */
  readonly checkedAt: number[]
}

/** Behaves as Skein's server does: ready, and with a stream that sends an event when the test says so. */
async function startUpstream({ readyAfterMs = 0 } = {}): Promise<Upstream> {
  const seen: IncomingHttpHeaders[] = []
  const streams: ServerResponse[] = []
  const checkedAt: number[] = []
  const server = createServer((request, response) => {
    if (request.url === '/readyz' && readyAfterMs > 0) {
      setTimeout(() => {
        checkedAt.push(performance.now())
        response.end()
      }, readyAfterMs)
      return
    }
    if (request.url === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      streams.push(response)
      return
    }
    if (request.url !== '/readyz') seen.push(request.headers)
    response.end(request.url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, seen, streams, checkedAt }
}

async function startProxy(proxy: Proxy, upstream: number): Promise<ClientHttp2Session> {
  return (await startProcess(proxy, upstream)).session
}

async function startProcess(
  { file, command, adapt }: Proxy,
  upstream: number,
): Promise<{ session: ClientHttp2Session; pid: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-proxy-'))
  endings.push(() => rm(folder, { recursive: true, force: true }))
  const port = await findFreePort()
  const names = ['-subj', '/CN=skein.example.com', '-addext', 'subjectAltName=DNS:skein.example.com']
  const out = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...out], {
    stdio: 'ignore',
  })
  const certificate = await readFile(join(folder, 'cert.pem'), 'utf8')
  await writeFile(join(folder, 'both.pem'), certificate + (await readFile(join(folder, 'key.pem'), 'utf8')))
  const config = join(folder, file)
  await writeFile(
    config,
    adapt(await readFile(`${root}deploy/proxies/${file}`, 'utf8'), { folder, port, upstream }),
  )
  const [program = '', ...args] = command
  const proxy = spawn(program, [...args, config], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: 'ignore',
  })
  endings.push(() => end(proxy))
  const open = () =>
    new Promise<ClientHttp2Session | undefined>((resolve) => {
      const session = connect(`https://127.0.0.1:${port}`, {
        ca: certificate,
        servername: 'skein.example.com',
      })
      session.once('connect', () => resolve(session)).on('error', () => resolve(undefined))
    })
  const session = await waitFor(open, { what: `${program} to listen`, timeoutMs: 60_000 })
  endings.push(() => session.destroy())
  return { session, pid: proxy.pid ?? 0 }
}

async function end(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null) return
  proxy.kill()
  await once(proxy, 'exit')
}

/** Headers that a browser would send, and the answer. */
async function get(session: ClientHttp2Session, path: string): Promise<{ status: number; text: string }> {
  const request = session.request({
    ':path': path,
    ':authority': 'skein.example.com',
    'x-forwarded-for': '203.0.113.9',
  })
  const [headers] = (await once(request, 'response')) as [{ ':status': number }]
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return { status: headers[':status'], text }
}

describe.each(Object.entries(PROXIES))('%s, as deploy/proxies configures it', (name, proxy) => {
  test.skipIf(!has(name))('speaks HTTP/2, names the caller, and keeps metrics to itself', async () => {
    const upstream = await startUpstream()
    const session = await startProxy(proxy, upstream.port)
    expect(session.alpnProtocol).toBe('h2')
    const answer = await waitFor(
      async () => {
        const found = await get(session, '/v1/whoami')
        return found.status === 200 && found
      },
      { what: 'the server to count as up', timeoutMs: 30_000 },
    )
    expect(answer.text).toBe('/v1/whoami')
    // The last entry is what the proxy saw. A caller can add any before it, and Skein trusts only the proxy's.
    expect(String(upstream.seen.at(-1)?.['x-forwarded-for'])).toMatch(/(^|, )127\.0\.0\.1$/)
    expect(upstream.seen.at(-1)?.['x-forwarded-proto']).toBe('https')
    expect(await get(session, '/metrics')).toMatchObject({ status: 404 })
  })

  test.skipIf(!has(name))('sends each event of a stream on at once', async () => {
    const upstream = await startUpstream()
    const session = await startProxy(proxy, upstream.port)
    await waitFor(async () => (await get(session, '/')).status === 200, {
      what: 'the server to count as up',
      timeoutMs: 30_000,
    })
    const request = session.request({ ':path': '/stream', ':authority': 'skein.example.com' })
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const stream = await waitFor(() => upstream.streams[0], { what: 'the stream to open', timeoutMs: 30_000 })
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      // The next one is written only when this one has arrived, so a buffer would never be flushed.
      stream.write(event)
      await waitFor(() => text.endsWith(event), { what: `the event ${event}`, timeoutMs: 30_000 })
    }
    expect(text).toBe('data: 1\n\ndata: 2\n\n')
    request.close()
  })
})

describe('haproxy.cfg', () => {
  const { haproxy } = PROXIES
  if (!haproxy) throw new Error('HAProxy is one of the proxies')

  test.skipIf(!has('haproxy') || !isRoot)('does not stay root', async () => {
    const { pid } = await startProcess(haproxy, (await startUpstream()).port)
    const user = execFileSync('id', ['-u', 'haproxy'], { encoding: 'utf8' }).trim()
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(
      new RegExp(`^Uid:\\t${user}\\t${user}\\t${user}\\t`, 'm'),
    )
  })

  test.skipIf(!has('haproxy'))('keeps a server that is too busy to answer checks at once', async () => {
    const upstream = await startUpstream({ readyAfterMs: 1_500 })
    const session = await startProxy(haproxy, upstream.port)
    await waitFor(() => upstream.checkedAt.length >= 3, { what: 'three checks', timeoutMs: 30_000 })
    expect(await get(session, '/')).toMatchObject({ status: 200 })
  })
})
