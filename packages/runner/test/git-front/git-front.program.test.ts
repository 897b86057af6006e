import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GitWorld, runGit, type TestAgent } from '../workspace/git-world.ts'

let world: GitWorld
let upstream: string

beforeEach(async () => {
  world = await GitWorld.start()
  upstream = await world.addUpstream('shop', {
    'README.md': 'shop\n',
    'src/a.txt': 'a\n',
    'src/b.txt': 'b\n',
  })
})

afterEach(async () => {
  await world.stop()
})

function lastFiles(agent: TestAgent): readonly string[] | undefined {
  return agent.pushes.at(-1)?.files
}

async function ask(path: string): Promise<number> {
  const { front } = await world.host()
  const response = await fetch(`http://127.0.0.1:${front.port}/git${path}`)
  await response.text()
  return response.status
}

async function originOf(agent: TestAgent): Promise<URL> {
  return new URL((await agent.run('git config remote.origin.url')).trim())
}

describe('what a push changes', () => {
  test('a push of a new branch lands upstream and lists its files, including those with spaces and accents', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run(
      'mkdir "my docs"; echo x > "my docs/café.md"; echo y > new.txt; git add -A; git commit -qm one; git push',
    )
    const commit = (await agent.run('git rev-parse HEAD')).trim()
    expect((await world.refsOf(upstream))['refs/heads/skein/docs']).toBe(commit)
    expect(agent.pushes).toEqual([
      {
        repo: 'shop',
        url: upstream,
        ref: 'refs/heads/skein/docs',
        before: '',
        commit,
        files: ['my docs/café.md', 'new.txt'],
      },
    ])
    expect(await runGit(upstream, 'log', '-1', '--format=%an <%ae>', commit)).toBe(
      'Skein agent docs <docs@agents.skein.invalid>\n',
    )
  })

  test('a forced push counts the files of its new commits', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one; git push')
    await agent.run('git reset -q --hard origin/main; echo 2 > two.txt; git add -A; git commit -qm two')
    expect((await agent.attempt('git push')).stderr).toContain('rejected')
    await agent.run('git push --force')
    expect(agent.pushes.map(({ files }) => files)).toEqual([['one.txt'], ['two.txt']])
    expect((await world.refsOf(upstream))['refs/heads/skein/docs']).toBe(
      (await agent.run('git rev-parse HEAD')).trim(),
    )
  })

  test('a merge of main counts only the own files', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo own > own.txt; git add -A; git commit -qm own')
    await world.commitUpstream(upstream, { 'theirs.txt': 'theirs\n' }, 'theirs')
    await agent.run('git fetch -q; git merge -q origin/main -m merge; ls theirs.txt')
    await agent.run('git push')
    expect(lastFiles(agent)).toEqual(['own.txt'])
  })

  test('a conflict that a merge resolves counts as its own file', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo own > src/a.txt; git commit -qam own; git push')
    await world.commitUpstream(upstream, { 'src/a.txt': 'theirs\n', 'src/b.txt': 'theirs\n' }, 'theirs')
    await agent.run('git fetch -q')
    await agent.run(
      'git merge -q origin/main || :; echo both > src/a.txt; git add -A; git commit -qm merged; git push',
    )
    expect(lastFiles(agent)).toEqual(['src/a.txt'])
  })

  test('a rename counts with both names, and a removed file with its own', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('git mv src/a.txt src/z.txt; git rm -q src/b.txt; git commit -qm moved; git push')
    expect(lastFiles(agent)).toEqual(['src/a.txt', 'src/b.txt', 'src/z.txt'])
  })

  test('an agent may delete its own branch, and that changes no file', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one; git push; git push origin :skein/docs')
    expect(agent.pushes.at(-1)).toMatchObject({ ref: 'refs/heads/skein/docs', commit: '', files: [] })
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/main'])
  })

  test('commits that were saved before count when they are pushed', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    await agent.save()
    await agent.run('git push')
    expect(lastFiles(agent)).toEqual(['one.txt'])
  })

  test('a push of many megabytes arrives whole', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('head -c 6000000 /dev/urandom > big.bin; git add -A; git commit -qm big; git push')
    expect(await runGit(upstream, 'rev-parse', 'skein/docs:big.bin')).toBe(
      await agent.run('git rev-parse HEAD:big.bin'),
    )
  })
})

describe('what may be pushed', () => {
  test.each(['main', 'skein/docs.child', 'skein/other'])(
    'a push to %s is refused with a reason',
    async (branch) => {
      const agent = await world.openAgent('docs', { repos: [upstream] })
      await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
      const before = await world.refsOf(upstream)
      const { code, stderr } = await agent.attempt(`git push origin HEAD:refs/heads/${branch}`)
      expect(code).toBe(1)
      expect(stderr).toContain(`remote: This agent may not push to ${branch}.`)
      expect(stderr).toContain('remote: Its own branch is skein/docs')
      expect(stderr).toContain('[remote rejected]')
      expect(await world.refsOf(upstream)).toEqual(before)
      expect(agent.pushes).toEqual([])
    },
  )

  test('a push of an allowed and a forbidden branch together does nothing', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    expect((await agent.attempt('git push origin HEAD:skein/docs HEAD:main HEAD:refs/tags/v1')).code).toBe(1)
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/main'])
  })

  test('the saved work of another agent can be neither seen nor changed', async () => {
    const other = await world.openAgent('other', { repos: [upstream] })
    await other.run('echo secret > plan.txt')
    await other.save()
    const ref = other.workspace.names.savedRef
    const agent = await world.openAgent('docs', { repos: [upstream] })
    expect(await agent.run('git ls-remote origin')).not.toContain('refs/skein')
    expect((await agent.attempt(`git push -f origin HEAD:${ref}`)).stderr).toContain('rejected')
    expect((await agent.attempt(`git push origin :${ref}`)).code).toBe(1)
    expect(await world.refsOf(upstream)).toHaveProperty([ref])
  })

  test('two concurrent pushes by different agents both land', async () => {
    const agents = await Promise.all(
      ['one', 'two'].map((path) => world.openAgent(path, { repos: [upstream] })),
    )
    await Promise.all(
      agents.map((agent, index) =>
        agent.run(
          `for i in 1 2 3 4; do echo $i > ${index}-$i.txt; git add -A; git commit -qm $i; git push -q; done`,
        ),
      ),
    )
    const refs = await world.refsOf(upstream)
    for (const [index, agent] of agents.entries()) {
      const head = (await agent.run('git rev-parse HEAD')).trim()
      expect(refs[`refs/heads/${agent.workspace.names.branch}`]).toBe(head)
      expect(agent.pushes.flatMap(({ files }) => files)).toEqual([1, 2, 3, 4].map((i) => `${index}-${i}.txt`))
    }
  })

  test('a push that the upstream rejects fails for the agent with the upstream’s message, and is not recorded', async () => {
    await mkdir(join(upstream, 'hooks'), { recursive: true })
    await writeFile(
      join(upstream, 'hooks', 'pre-receive'),
      '#!/bin/sh\necho "no commits on Fridays" >&2\nexit 1\n',
    )
    await chmod(join(upstream, 'hooks', 'pre-receive'), 0o755)
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    const { code, stderr } = await agent.attempt('git push')
    expect(code).toBe(1)
    expect(stderr).toContain('rejected the push')
    expect(stderr).toContain('no commits on Fridays')
    expect(agent.pushes).toEqual([])
    const { mirrors } = await world.host()
    const repo = { tenant: 'acme', url: upstream, baseBranch: '', credential: '' }
    expect([...(await mirrors.listRefs(repo)).keys()]).toEqual(['refs/heads/main'])
  })

  test('a push that still waits when its run is over changes nothing', async () => {
    const host = await world.addHost(600_000)
    const agent = await world.openAgent('docs', { repos: [upstream], host })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    const [, , token = ''] = (await originOf(agent)).pathname.split('/')
    const repo = { tenant: 'acme', url: upstream, baseBranch: '', credential: '' }
    const objects = join(host.mirrors.dirOf(repo), 'objects')
    const pushing = await host.mirrors.withLock(repo, async () => {
      const attempt = agent.attempt('git push')
      await waitFor(async () => (await readdir(objects)).some((name) => name.includes('incoming')), {
        what: 'the objects of the push to arrive',
      })
      host.gitFront.close(token)
      return { attempt }
    })
    const { code, stderr } = await pushing.attempt
    expect(code).toBe(1)
    expect(stderr).toContain('This run has ended.')
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/main'])
    expect(agent.pushes).toEqual([])
  })

  test('a branch that someone else has changed is not overwritten, not even by force', async () => {
    // This mirror does not know what was changed.
    const host = await world.addHost(600_000)
    const agent = await world.openAgent('docs', { repos: [upstream], host })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one; git push')
    const theirs = await world.commitUpstream(
      upstream,
      { 'review.txt': 'fix this\n' },
      'review',
      'skein/docs',
    )
    await agent.run('echo 2 > two.txt; git add -A; git commit -qm two')
    const { code, stderr } = await agent.attempt('git push --force')
    expect(code).toBe(1)
    expect(stderr).toContain('Someone else has changed')
    expect((await world.refsOf(upstream))['refs/heads/skein/docs']).toBe(theirs)
    await agent.run('git pull -q --rebase; git push; ls review.txt')
    expect(lastFiles(agent)).toEqual(['two.txt'])
  })
})

describe('who is answered', () => {
  test('a stranger is refused, and nothing but the smart protocol is spoken', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    const origin = (await originOf(agent)).pathname.replace('/git', '')
    const service = '?service=git-upload-pack'
    expect(await ask(`${origin}/info/refs${service}`)).toBe(200)
    expect(await ask(`/${'x'.repeat(43)}/shop.git/info/refs${service}`)).toBe(403)
    expect(await ask('/')).toBe(403)
    expect(await ask(`${origin.replace('shop', 'other')}/info/refs${service}`)).toBe(404)
    expect(await ask(`${origin}/info/refs`)).toBe(403)
    expect(await ask(`${origin}/info/refs?service=git-upload-archive`)).toBe(403)
    expect(await ask(`${origin}/git-upload-pack`)).toBe(405)
    for (const path of [
      '/HEAD',
      '/config',
      '/objects/info/packs',
      '/..%2f..%2fetc/passwd',
      '/info/refs/../../config',
    ]) {
      expect([403, 404]).toContain(await ask(origin + path))
    }
    await agent.end()
    expect(await ask(`${origin}/info/refs${service}`)).toBe(403)
  })

  test('a packed request is understood', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    const response = await fetch(`${(await originOf(agent)).href}/git-upload-pack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-git-upload-pack-request',
        'content-encoding': 'gzip',
        'git-protocol': 'version=2',
      },
      body: gzipSync('0014command=ls-refs\n0000'),
    })
    expect(await response.text()).toContain('refs/heads/main')
  })

  test('a client that leaves in the middle of its push does not hold up the next', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    const origin = await originOf(agent)
    const socket = connect(Number(origin.port), '127.0.0.1')
    const update = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/skein/docs\0report-status`
    socket.write(
      [
        `POST ${origin.pathname}/git-receive-pack HTTP/1.1`,
        'host: front',
        'content-type: application/x-git-receive-pack-request',
        'content-length: 1000000',
        '',
        `${(update.length + 4).toString(16).padStart(4, '0')}${update}0000PACK`,
      ].join('\r\n'),
    )
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    socket.destroy()
    await agent.run('git push')
    expect(agent.pushes).toHaveLength(1)
  })

  test('without a network the agent is told so, and its work is still saved', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream], canUseGit: false })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one')
    expect((await agent.attempt('git push')).stderr).toContain('git push is disabled')
    expect((await agent.attempt('git fetch')).stderr).toContain('git fetch is disabled')
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    expect(Object.keys(await world.refsOf(upstream))).toEqual([
      'refs/heads/main',
      agent.workspace.names.savedRef,
    ])
  })
})
