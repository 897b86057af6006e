import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseAddressRange, type AddressRange } from '@skein/core'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startHttpUpstream } from '../git-front/http-upstream.ts'
import { MirrorCache } from '../../src/git/mirror-cache.ts'
import { UpstreamGuard } from '../../src/git/upstream-guard.ts'
import { GitWorld } from './git-world.ts'

let world: GitWorld

beforeEach(async () => {
  world = await GitWorld.start()
})

afterEach(async () => {
  await world.stop()
})

interface Listener {
  readonly port: number
  /** What was asked of it. */
  readonly paths: readonly string[]
}

async function listen(host: string, answer: RequestListener): Promise<Listener> {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, paths }
}

function ranges(...texts: string[]): AddressRange[] {
  return texts.map((text) => parseAddressRange(text) as AddressRange)
}

function resolverOf(names: Readonly<Record<string, string[]>>) {
  return async (host: string): Promise<string[]> => {
    const addresses = names[host]
    if (!addresses) throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    return addresses
  }
}

function openMirrors(guard?: UpstreamGuard): MirrorCache {
  return new MirrorCache({ dir: join(world.dir, 'mirrors'), timeoutMs: 20_000, ...(guard && { guard }) })
}

/** How an attempt to use the repository ended, without the address in it. */
async function failureOf(mirrors: MirrorCache, url: string): Promise<{ kind: string; message: string }> {
  const repo = { tenant: 'acme', url, baseBranch: '', credential: '' }
  const outcome = await mirrors.refresh(repo).then(
    () => ({ kind: 'none', message: '' }),
    (error: { kind: string; message: string }) => error,
  )
  return { kind: outcome.kind, message: outcome.message.replaceAll(/https?:\S+/g, 'URL') }
}

describe('a repository at an address that is not public', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    'localhost',
    'localhost.',
    '127%2e0.0.1',
  ])('is not contacted at %s, and an open port is not told from a closed one', async (host) => {
    const open = await listen('127.0.0.1', (_request, response) => response.end())
    const mirrors = openMirrors()
    const toOpen = await failureOf(mirrors, `http://${host}:${open.port}/shop.git`)
    const toClosed = await failureOf(mirrors, `http://${host}:1/shop.git`)
    expect(open.paths).toEqual([])
    expect(toOpen).toEqual(toClosed)
    expect(toOpen).toMatchObject({ kind: 'unreachable' })
    expect(toOpen.message).toContain('SKEIN_RUNNER_REPO_RANGES')
  })

  test.each(['[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]'])('is not contacted at %s', async (host) => {
    const open = await listen('::', (_request, response) => response.end())
    await failureOf(openMirrors(), `http://${host}:${open.port}/shop.git`)
    expect(open.paths).toEqual([])
  })

  test('is not contacted under a name that leads there, and the message is that of a name nobody knows', async () => {
    const open = await listen('127.0.0.1', (_request, response) => response.end())
    const inside = ['127.0.0.1', '169.254.169.254', '10.0.0.1']
    const mirrors = openMirrors(new UpstreamGuard({ lookup: resolverOf({ 'inside.example.com': inside }) }))
    const known = await failureOf(mirrors, `http://inside.example.com:${open.port}/shop.git`)
    const nowhere = await failureOf(mirrors, 'http://nowhere.example.com/shop.git')
    expect(open.paths).toEqual([])
    expect(known).toEqual(nowhere)
  })

  test('can be used if the owner of the runner allows its range', async () => {
    const upstream = await startHttpUpstream(await world.addUpstream('shop', { a: '1' }), 'robot:secret')
    const mirrors = openMirrors(new UpstreamGuard({ allowed: ranges('127.0.0.0/8') }))
    const repo = { tenant: 'acme', url: upstream.url, baseBranch: '', credential: 'robot:secret' }
    expect(await mirrors.refresh(repo)).toMatchObject({ branch: 'main' })
    await upstream.stop()
  })
})

describe('an upstream that leads elsewhere', () => {
  test('git connects to the address that was checked, whatever the name leads to by then', async () => {
    const upstream = await startHttpUpstream(await world.addUpstream('shop', { a: '1' }), 'robot:secret')
    // No resolver knows this name: only a pinned address can make git succeed.
    const lookup = resolverOf({ 'rebinding.example.com': ['10.0.0.1', '127.0.0.1'] })
    const mirrors = openMirrors(new UpstreamGuard({ allowed: ranges('127.0.0.1'), lookup }))
    const url = upstream.url.replace('127.0.0.1', 'Rebinding.example.com')
    const repo = { tenant: 'acme', url, baseBranch: '', credential: 'robot:secret' }
    expect(await mirrors.refresh(repo)).toMatchObject({ branch: 'main' })
    await upstream.stop()
  })

  test.each([301, 302, 307, 308])(
    'a redirect (%i) is not followed, without a credential too',
    async (status) => {
      const inside = await listen('127.0.0.2', (_request, response) => response.end())
      const location = `http://127.0.0.2:${inside.port}/shop.git/info/refs?service=git-upload-pack`
      const outside = await listen('127.0.0.1', (_request, response) =>
        response.writeHead(status, { location }).end(),
      )
      const mirrors = openMirrors(new UpstreamGuard({ allowed: ranges('127.0.0.1') }))
      const failure = await failureOf(mirrors, `http://127.0.0.1:${outside.port}/shop.git`)
      expect(failure).toMatchObject({ kind: 'moved' })
      expect(failure.message).not.toContain('127.0.0.2')
      expect(outside.paths).toHaveLength(1)
      expect(inside.paths).toEqual([])
    },
  )

  test('the alternates of a server of plain files are not followed', async () => {
    const inside = await listen('127.0.0.2', (_request, response) => response.writeHead(404).end())
    const commit = 'a'.repeat(40)
    const outside = await listen('127.0.0.1', ({ url = '' }, response) => {
      if (url.includes('/info/refs')) response.end(`${commit}\trefs/heads/main\n`)
      else if (url.endsWith('/HEAD')) response.end('ref: refs/heads/main\n')
      else if (url.endsWith('/objects/info/http-alternates'))
        response.end(`http://127.0.0.2:${inside.port}/x/objects\n`)
      else response.writeHead(404).end()
    })
    const mirrors = openMirrors(new UpstreamGuard({ allowed: ranges('127.0.0.1') }))
    await failureOf(mirrors, `http://127.0.0.1:${outside.port}/shop.git`)
    expect(outside.paths.length).toBeGreaterThan(1)
    expect(inside.paths).toEqual([])
  })
})

describe('what the message reveals about an allowed address', () => {
  test('a closed port, a port that does not speak git, and a missing repository give the same error', async () => {
    const allowed = new UpstreamGuard({ allowed: ranges('127.0.0.1') })
    const mirrors = openMirrors(allowed)
    const answers: RequestListener[] = [
      (_request, response) => response.end('<html>hello</html>\n'),
      (_request, response) => response.writeHead(404).end(),
      (_request, response) => response.writeHead(500).end(),
      ({ socket }) => socket.end('+PONG\r\n'),
      ({ socket }) => socket.destroy(),
    ]
    const expected = await failureOf(mirrors, 'http://127.0.0.1:1/shop.git')
    for (const answer of answers) {
      const { port } = await listen('127.0.0.1', answer)
      expect(await failureOf(mirrors, `http://127.0.0.1:${port}/shop.git`)).toEqual(expected)
      expect(await failureOf(mirrors, `https://127.0.0.1:${port}/shop.git`)).toEqual(expected)
    }
  })
})
