import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { startTestServer, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const HTML = '<meta property="csp-nonce" nonce="__CSP_NONCE__"><script nonce="__CSP_NONCE__"></script>'
const SCRIPT = 'console.log("hello")'
const ACCEPT_HTML = 'text/html,application/xhtml+xml,*/*;q=0.8'
const IMMUTABLE = 'public, max-age=31536000, immutable'
let folder: string
let server: TestServer
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-dashboard-'))
  const dist = join(folder, 'dist')
  await mkdir(join(dist, 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'outside')
  await symlink(join(folder, 'secret.txt'), join(dist, 'link.txt'))
  await writeFile(join(dist, 'index.html'), HTML)
  await writeFile(join(dist, 'skein.svg'), '<svg/>')
  await writeFile(join(dist, 'notes.unknown'), 'no type')
  await writeFile(join(dist, 'assets', 'main-1a2b.js'), SCRIPT)
  await writeFile(join(dist, 'assets', 'main-1a2b.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(dist, 'assets', 'main-1a2b.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(dist, 'assets', 'plain-3c.css'), 'a{}')
  server = await startTestServer({ settings: { SKEIN_DASHBOARD_DIR: dist } })
  port = Number(new URL(await server.app.listen({ host: '127.0.0.1', port: 0 })).port)
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  server.app.inject({ method, url, headers })

const askForPage = (url: string) => ask(url, { accept: ACCEPT_HTML })

/** Past every client that would tidy up the path first. */
async function askRaw(path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nConnection: close\r\n\r\n`)
  return readText(socket)
}

describe('the page', () => {
  test.each([
    '/',
    '/index.html',
    '/agents/codehost_oauth/ada/shop/fix',
    '/share',
    '/catalog/persona/reviewer?edit=1',
    `/agents/codehost_oauth/ada/shop/${'a'.repeat(600)}`,
  ])('is what a person finds at %s', async (path) => {
    const answer = await askForPage(path)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(answer.headers['permissions-policy']).toContain('camera=()')
    expect(answer.body).not.toContain('__CSP_NONCE__')
  })

  test('may run scripts of this server only, and is framed by nobody', async () => {
    const { headers } = await askForPage('/')
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        `default-src 'none'`,
        `script-src 'self'`,
        `connect-src 'self'`,
        `base-uri 'none'`,
        `form-action 'none'`,
        `frame-ancestors 'none'`,
      ]),
    )
    expect(policy.join()).not.toMatch(/unsafe|\*|http/)
  })

  test('has a nonce of its own at each request, the same in the policy and in the page', async () => {
    const answers = [await askForPage('/'), await askForPage('/')]
    const nonces = answers.map(({ headers, body }) => {
      const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? ''
      expect(body.match(/nonce="[^"]+"/g)).toEqual([`nonce="${nonce}"`, `nonce="${nonce}"`])
      return nonce
    })
    expect(nonces[0]).toMatch(/^[A-Za-z0-9+/]{22}==$/)
    expect(nonces[1]).not.toBe(nonces[0])
  })

  test('is answered to HEAD without a body', async () => {
    const answer = await ask('/agents/x', { accept: ACCEPT_HTML }, 'HEAD')
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
  })
})

test.each(['*/*', undefined])('the page of an agent answers a program that accepts %s', async (accept) => {
  const answer = await ask('/agents/codehost_oauth/ada/shop/fix', accept === undefined ? {} : { accept })
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
})

describe('a path that is not a page still gets a JSON error', () => {
  test.each([
    ['an unknown path of the API', '/v1/nothing', ACCEPT_HTML],
    ['the root of the API', '/v1', ACCEPT_HTML],
    ['an unknown path, to a program', '/nothing', 'application/json'],
    ['the root, to a program', '/', 'application/json'],
    ['an agent’s page, to a program that wants JSON', '/agents/a/b/c/d', 'application/json'],
    ['an unknown path, to a program that takes anything', '/nothing', '*/*'],
    ['an asset of a build that is gone', '/assets/main-old.js', ACCEPT_HTML],
    ['a page below the health check', '/healthz/x', ACCEPT_HTML],
    ['a missing image', '/logo.png', 'image/*'],
  ])('%s', async (_what, path, accept) => {
    const answer = await ask(path, { accept })
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({ code: 5, details: [{ reason: 'PATH_UNKNOWN' }] })
  })

  test('a GET of an operation that takes only POST says so', async () => {
    const answer = await askForPage('/v1/agent/status')
    expect(answer.statusCode).toBe(405)
    expect(answer.headers.allow).toBe('POST')
  })

  test('a POST to a page', async () => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/share',
      headers: { accept: ACCEPT_HTML },
    })
    expect(answer.statusCode).toBe(404)
  })

  test('health and metrics are what they were', async () => {
    expect((await askForPage('/healthz')).json()).toEqual({
      status: 'ok',
      version: expect.any(String) as string,
    })
    expect((await askForPage('/metrics')).headers['content-type']).toMatch(/^text\/plain/)
  })
})

describe('a file', () => {
  test('with a hash in its name is cached forever, any other is revalidated', async () => {
    const script = await ask('/assets/main-1a2b.js')
    expect(script.body).toBe(SCRIPT)
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': IMMUTABLE,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    const icon = await ask('/skein.svg')
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' })
  })

  test('is sent as small as the client can read it', async () => {
    const br = await ask('/assets/main-1a2b.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(br.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(SCRIPT)
    const gzip = await ask('/assets/main-1a2b.js', { 'accept-encoding': 'gzip, br;q=0' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT)
    const plain = await ask('/assets/plain-3c.css', { 'accept-encoding': 'gzip, br' })
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'a{}'])
    expect(
      new Set([br.headers.etag, gzip.headers.etag, (await ask('/assets/main-1a2b.js')).headers.etag]).size,
    ).toBe(3)
  })

  test('that the client has is not sent again', async () => {
    const { headers } = await ask('/skein.svg')
    const etag = String(headers.etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('/skein.svg', { 'if-none-match': known })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await ask('/skein.svg', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('is answered to HEAD with its size and without its body', async () => {
    const answer = await ask('/assets/main-1a2b.js', {}, 'HEAD')
    expect(answer.headers['content-length']).toBe(String(SCRIPT.length))
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
  })

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/assets//main-1a2b.js',
    '/assets/main-1a2b.js%00.css',
    '/link.txt',
    '/notes.unknown',
    '/assets/main-1a2b.js.br',
    '/assets',
    '/assets/',
    '/__proto__',
    '/constructor',
  ])('outside of the build cannot be asked for: %s', async (path) => {
    const answer = await askRaw(path)
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(answer).not.toContain('outside')
  })
})

test('without a build the root page says how to create one, and the rest works', async () => {
  const bare = await startTestServer({ settings: { SKEIN_DASHBOARD_DIR: join(folder, 'nowhere') } })
  const answer = await bare.app.inject({ url: '/', headers: { accept: ACCEPT_HTML } })
  expect(answer.statusCode).toBe(200)
  expect(answer.body).toContain('npm run build:dashboard')
  expect(answer.headers['content-security-policy']).toContain(`default-src 'none'`)
  expect((await bare.anonymous.get('/v1/whoami')).status).toBe(401)
  await bare.close()
})
