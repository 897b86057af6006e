import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startHttpUpstream, type HttpUpstream } from '../git-front/http-upstream.ts'
import { MirrorCache } from '../../src/git/mirror-cache.ts'
import type { Repo } from '../../src/git/repo-address.ts'
import { GitWorld, loopbackGuard, runGit } from './git-world.ts'

let world: GitWorld
let mirrors: MirrorCache

beforeEach(async () => {
  world = await GitWorld.start()
  mirrors = new MirrorCache({
    dir: join(world.dir, 'mirrors'),
    allowsLocalRepos: true,
    guard: loopbackGuard(),
    timeoutMs: 20_000,
  })
})

afterEach(async () => {
  await world.stop()
})

function repoAt(url: string, rest: Partial<Repo> = {}): Repo {
  return { tenant: 'acme', url, baseBranch: '', credential: '', ...rest }
}

describe('bringing a mirror up to date', () => {
  test('a mirror follows its upstream, and starts at its default branch or at the one that is named', async () => {
    const url = await world.addUpstream('shop', { a: '1' })
    const first = (await runGit(url, 'rev-parse', 'main')).trim()
    expect(await mirrors.refresh(repoAt(url))).toEqual({ branch: 'main', commit: first })
    const next = await world.commitUpstream(url, { b: '2' }, 'next', 'next')
    expect(await mirrors.refresh(repoAt(url, { baseBranch: 'next' }))).toEqual({
      branch: 'next',
      commit: next,
    })
    await runGit(url, 'branch', '-D', 'next')
    await mirrors.refresh(repoAt(url))
    expect([...(await mirrors.listRefs(repoAt(url))).keys()]).toEqual(['refs/heads/main'])
    // Its objects stay: a clone may borrow them.
    expect(await mirrors.readCommit(repoAt(url), next)).toContain('next')
  })

  test('a mirror that nobody has used for long is removed, and made again when it is needed', async () => {
    const url = await world.addUpstream('shop', { a: '1' })
    const other = await world.addUpstream('other', { a: '1' })
    await mirrors.refresh(repoAt(url))
    await mirrors.refresh(repoAt(other))
    const config = join(mirrors.dirOf(repoAt(url)), 'config')
    await utimes(config, new Date(0), new Date(0))
    // In use right now.
    await mirrors.withLock(repoAt(url), () => mirrors.removeUnused(1))
    expect(await mirrors.listRefs(repoAt(url))).not.toEqual(new Map())
    await utimes(config, new Date(0), new Date(0))
    await mirrors.removeUnused(1)
    await expect(mirrors.listRefs(repoAt(url))).rejects.toThrow('cannot be read')
    expect(await mirrors.listRefs(repoAt(other))).not.toEqual(new Map())
    expect(await mirrors.refresh(repoAt(url))).toMatchObject({ branch: 'main' })
  })

  test('an empty repository can be used', async () => {
    const url = await world.addUpstream('empty')
    expect(await mirrors.refresh(repoAt(url))).toBeUndefined()
    expect(await mirrors.refresh(repoAt(url, { baseBranch: 'main' }))).toBeUndefined()
  })

  test('tenants do not share a mirror of the same repository', async () => {
    const url = await world.addUpstream('shop', { a: '1' })
    expect(mirrors.dirOf(repoAt(url))).not.toBe(mirrors.dirOf(repoAt(url, { tenant: 'other' })))
  })

  test('concurrent refreshes contact the upstream one after the other', async () => {
    const url = await world.addUpstream('shop', { a: '1' })
    const others = new MirrorCache({ dir: join(world.dir, 'mirrors'), allowsLocalRepos: true })
    const bases = await Promise.all(
      [mirrors, mirrors, mirrors, others].map((cache) => cache.refresh(repoAt(url))),
    )
    expect(new Set(bases.map((base) => base?.branch))).toEqual(new Set(['main']))
  })

  test('lock files that a killed git left behind are removed', async () => {
    const url = await world.addUpstream('shop', { a: '1' })
    await mirrors.refresh(repoAt(url))
    const commit = await world.commitUpstream(url, { b: '2' }, 'next')
    const lock = join(mirrors.dirOf(repoAt(url)), 'refs', 'heads', 'main.lock')
    await mkdir(join(lock, '..'), { recursive: true })
    await writeFile(lock, '')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(lock, longAgo, longAgo)
    expect(await mirrors.refresh(repoAt(url))).toEqual({ branch: 'main', commit })
  })
})

describe('what people are told', () => {
  let upstream: HttpUpstream

  beforeEach(async () => {
    upstream = await startHttpUpstream(await world.addUpstream('shop', { a: '1' }), 'robot:s3cret pass')
  })

  afterEach(async () => {
    await upstream.stop()
  })

  test('a credential opens the repository, as a field and as a part of the address', async () => {
    const credential = 'robot:s3cret pass'
    expect(await mirrors.refresh(repoAt(upstream.url, { credential }))).toMatchObject({ branch: 'main' })
    const url = upstream.url.replace('http://', 'http://robot:s3cret%20pass@')
    expect(await mirrors.refresh(repoAt(url))).toMatchObject({ branch: 'main' })
    expect(mirrors.dirOf(repoAt(url))).toBe(mirrors.dirOf(repoAt(upstream.url)))
    const grep = await runGit(world.dir, 'grep', '--no-index', '-c', 's3cret').catch(() => 'nothing')
    expect(grep).toBe('nothing')
  })

  test('a wrong credential is rejected, even while another one is valid', async () => {
    await mirrors.refresh(repoAt(upstream.url, { credential: 'robot:s3cret pass' }))
    const wrong = repoAt(upstream.url, { credential: 'wr0ng' })
    for (const attempt of [() => mirrors.refresh(wrong), () => mirrors.fetch(wrong, 60_000)]) {
      const refusal = attempt()
      await expect(refusal).rejects.toMatchObject({ kind: 'auth' })
      await expect(refusal).rejects.not.toThrow(/wr0ng/)
    }
  })

  test.each<[string, Partial<Repo> & { path?: string }, string, RegExp]>([
    ['a repository that is not there', { path: '/gone.git' }, 'unreachable', /does not exist/],
    ['one that has moved, to wherever', { path: '/moved.git', credential: 'a:b' }, 'moved', /another URL/],
    [
      'a branch that is not there',
      { credential: 'robot:s3cret pass', baseBranch: 'x' },
      'no-branch',
      /no branch x/,
    ],
    [
      'a host that does not answer',
      { url: 'http://127.0.0.1:1/shop.git' },
      'unreachable',
      /cannot be reached/,
    ],
    ['an address of SSH', { url: 'git@host:shop.git' }, 'unsupported', /https/],
    ['an address that would run a command', { url: 'ext::sh -c id' }, 'unsupported', /https/],
  ])('%s is told', async (_what, { path, ...rest }, kind, message) => {
    const url = path === undefined ? upstream.url : new URL(path, upstream.url).href
    const refusal = Promise.resolve().then(() => mirrors.refresh(repoAt(url, rest)))
    await expect(refusal).rejects.toMatchObject({ kind })
    await expect(refusal).rejects.toThrow(message)
  })

  test('a path on the disk of the runner is refused unless it is allowed', async () => {
    const strict = new MirrorCache({ dir: join(world.dir, 'strict') })
    await expect(strict.refresh(repoAt(world.dir))).rejects.toMatchObject({ kind: 'unsupported' })
  })
})
