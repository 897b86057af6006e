import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GitWorld } from './git-world.ts'

let world: GitWorld

beforeEach(async () => {
  world = await GitWorld.start()
})

afterEach(async () => {
  await world.stop()
})

describe('where an agent finds itself', () => {
  test('with one repository it starts in it, on its own branch, from the base', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const next = await world.commitUpstream(upstream, { 'b.txt': 'b\n' }, 'next', 'next')
    const agent = await world.openAgent('docs/api', { repos: [{ url: upstream, baseBranch: 'next' }] })
    expect(await agent.run('git symbolic-ref HEAD; git rev-parse HEAD; ls; git status --porcelain')).toBe(
      `refs/heads/skein/docs.api\n${next}\na.txt\nb.txt\n`,
    )
    expect(await agent.run('git branch -r')).toBe('  origin/main\n  origin/next\n')
  })

  test('it continues from its upstream branch, if there is one', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const commit = await world.commitUpstream(upstream, { 'mine.txt': 'm\n' }, 'mine', 'skein/docs')
    const agent = await world.openAgent('docs', { repos: [upstream] })
    expect(await agent.run('git rev-parse HEAD; git status -sb')).toBe(
      `${commit}\n## skein/docs...origin/skein/docs\n`,
    )
  })

  test('several repositories are side by side, even two with the same name', async () => {
    const one = await world.addUpstream('team-a/shop', { 'a.txt': 'a\n' })
    const two = await world.addUpstream('team-b/shop', { 'b.txt': 'b\n' })
    const agent = await world.openAgent('docs', { repos: [one, two] })
    expect(await agent.run('ls -d *; ls shop shop-2')).toBe('shop\nshop-2\nshop:\na.txt\n\nshop-2:\nb.txt\n')
    await agent.run('cd shop-2; echo x > x; git add -A; git commit -qm x; git push -q')
    expect(agent.pushes).toMatchObject([{ repo: 'shop-2', url: two, files: ['x'] }])
  })

  test('without a repository it starts in an empty folder', async () => {
    const agent = await world.openAgent('docs', { repos: [] })
    expect(await agent.run('ls -A; pwd')).toBe(`${agent.workspace.workRoot}\n`)
    expect(await agent.save()).toEqual([])
  })

  test('the first push to an empty repository creates the branch, and a second agent can start too', async () => {
    const upstream = await world.addUpstream('empty')
    const agent = await world.openAgent('docs', { repos: [{ url: upstream, baseBranch: 'main' }] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one; git push')
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/skein/docs'])
    expect(agent.pushes).toMatchObject([{ files: ['one.txt'] }])
    const other = await world.openAgent('other', { repos: [{ url: upstream, baseBranch: 'main' }] })
    expect(await other.run('git symbolic-ref HEAD; ls')).toBe('refs/heads/skein/other\n')
  })

  test('an agent whose path ends in lock has a branch that git takes', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const agent = await world.openAgent('door/lock', { repos: [upstream] })
    await agent.run('echo 1 > one.txt; git add -A; git commit -qm one; git push')
    expect(Object.keys(await world.refsOf(upstream))).toContain('refs/heads/skein/door.lock_')
  })
})

describe('from one run to the next', () => {
  test('on the same host the folder stays as it was, and its access is new', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n', '.gitignore': 'cache\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    await first.run(
      'echo 1 > cache; echo 2 > new.txt; git stash -q -u; echo 3 > new.txt; touch .git/index.lock',
    )
    const origin = await first.run('git config remote.origin.url')
    await first.save()
    await first.end()
    await world.commitUpstream(upstream, { 'b.txt': 'b\n' }, 'later')
    const second = await world.openAgent('docs', { repos: [upstream] })
    expect(await second.run('cat cache new.txt; git stash list | wc -l; git add -A')).toMatch(/^1\n3\n *1\n$/)
    expect(await second.run('git config remote.origin.url')).not.toBe(origin)
    expect(await second.run('git log -1 --format=%s origin/main')).toBe('later\n')
  })

  test('work that continued on another host replaces the local work', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    await first.run('echo 1 > new.txt')
    await first.save()
    await first.end()
    const elsewhere = await world.openAgent('docs', { repos: [upstream], host: await world.addHost() })
    expect(await elsewhere.run('cat new.txt')).toBe('1\n')
    await elsewhere.run('echo 2 > new.txt')
    await elsewhere.save()
    await elsewhere.end()
    const back = await world.openAgent('docs', { repos: [upstream] })
    expect(await back.run('cat new.txt')).toBe('2\n')
  })

  test('work that was finished at another host is here as well', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    expect(await first.save()).toEqual([{ status: 'clean', tooLarge: [] }])
    await first.end()
    const elsewhere = await world.openAgent('docs', { repos: [upstream], host: await world.addHost() })
    await elsewhere.run('echo 2 > new.txt; git add -A; git commit -qm done; git push')
    await elsewhere.save()
    await elsewhere.end()
    const back = await world.openAgent('docs', { repos: [upstream] })
    expect(await back.run('cat new.txt; git status --porcelain')).toBe('2\n')
  })

  test('a runner that dies after a push keeps what was not saved', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    await first.run('echo 1 > one.txt; git add -A; git commit -qm one; git push; echo 2 > two.txt')
    await first.end()
    const second = await world.openAgent('docs', { repos: [upstream] })
    expect(await second.run('cat two.txt')).toBe('2\n')
  })

  test('a repository that the agent has destroyed is recreated', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    await first.run('mkdir -p x/y; chmod 000 x; rm -rf .git a.txt')
    expect(await first.save()).toMatchObject([
      { status: 'failed', reason: expect.stringContaining('not a git repository') as string },
    ])
    await first.end()
    const second = await world.openAgent('docs', { repos: [upstream] })
    expect(await second.run('ls; git status --porcelain')).toBe('a.txt\n')
  })

  test('two runs never have the same folder', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const first = await world.openAgent('docs', { repos: [upstream] })
    await expect(world.openAgent('docs', { repos: [upstream] })).rejects.toMatchObject({ kind: 'busy' })
    const waiting = world.openAgent('docs', { repos: [upstream] })
    await first.end()
    await (await waiting).end()
  })

  test('an agent that is removed leaves nothing, here or upstream', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n' })
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > new.txt; mkdir locked; chmod 000 locked; ln -s / out')
    await agent.save()
    await agent.remove()
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/main'])
    await expect(readFile(join(agent.workspace.workRoot, 'shop', 'new.txt'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})

describe('the guide of a repository', () => {
  test('AGENTS.md comes first, then CLAUDE.md; of several repositories each with its name', async () => {
    const one = await world.addUpstream('one', { 'AGENTS.md': 'use tabs\n', 'CLAUDE.md': 'not this\n' })
    const two = await world.addUpstream('two', { 'CLAUDE.md': 'use spaces\n' })
    const three = await world.addUpstream('three', { 'README.md': 'hello\n' })
    const alone = await world.openAgent('alone', { repos: [one] })
    expect(await alone.workspace.readGuide(alone.sandbox)).toBe('use tabs')
    const agent = await world.openAgent('docs', { repos: [one, two, three] })
    expect(await agent.workspace.readGuide(agent.sandbox)).toBe(
      '# Guide of one\n\nuse tabs\n\n# Guide of two\n\nuse spaces',
    )
  })

  test('a long one is cut', async () => {
    const upstream = await world.addUpstream('shop', { 'AGENTS.md': 'é'.repeat(100_000) })
    const agent = await world.openAgent('docs', { repos: [upstream] })
    const guide = await agent.workspace.readGuide(agent.sandbox)
    expect(guide).toBe('é'.repeat(32 * 1024))
  })

  test('a link within the repository is followed, one that leads out is not', async () => {
    const upstream = await world.addUpstream('shop', { 'docs/guide.md': 'inside\n' })
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('ln -s docs/guide.md CLAUDE.md; ln -s /etc/passwd AGENTS.md')
    expect(await agent.workspace.readGuide(agent.sandbox)).toBe('inside')
  })
})

describe('a repository that means harm', () => {
  test('nothing of it is executed, and nothing leaks, while the runner handles it', async () => {
    const upstream = await world.addUpstream('shop', {
      'hooks/post-checkout': '#!/bin/sh\ntouch "$HOME/hooked"\n',
      '.githooks/pre-push': '#!/bin/sh\ntouch "$HOME/hooked"\n',
      '.gitattributes': '* filter=evil diff=evil text=auto\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = -oProxyCommand=touch${IFS}hooked\n',
      'a.txt': 'a\r\nb\n',
    })
    const agent = await world.openAgent('docs', { repos: [upstream] })
    // The agent arms its own repository: what saving and fetching do must not set it off.
    const marker = join(world.dir, 'escaped')
    await agent.run(`
      mkdir .git/armed
      for hook in pre-push post-index-change reference-transaction post-checkout pre-auto-gc post-commit; do
        printf '#!/bin/sh\\ntouch "${marker}"\\n' > .git/armed/$hook; chmod +x .git/armed/$hook
      done
      echo change >> a.txt
      git config filter.evil.clean "touch '${marker}'; cat"
      git config filter.evil.smudge "touch '${marker}'; cat"
      git config uploadpack.packObjectsHook "touch '${marker}'; false"
      git config core.hooksPath "$PWD/.git/armed"
    `)
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    const other = await world.openAgent('docs', { repos: [upstream], host: await world.addHost() })
    expect(await other.run('cat a.txt; git config --get core.hooksPath || echo none')).toBe(
      'a\nb\nchange\nnone\n',
    )
    await expect(readFile(marker)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(readFile(join(other.workspace.stateDir, 'home', 'hooked'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  test('files that are too large are left out and named, and the rest is saved', async () => {
    const upstream = await world.addUpstream('shop', { 'a.txt': 'a\n', '.gitignore': 'ignored\n' })
    const agent = await world.openAgent('docs', { repos: [upstream], maxSavedFileBytes: 100_000 })
    await agent.run(
      'for f in ignored "very large" -rf; do head -c 200000 /dev/zero > "./$f"; done; echo small > small.txt',
    )
    expect(await agent.save()).toMatchObject([{ status: 'saved', tooLarge: ['-rf', 'very large'] }])
    const other = await world.openAgent('docs', { repos: [upstream], host: await world.addHost() })
    expect(await other.run('ls')).toBe('a.txt\nsmall.txt\n')
    await agent.run('rm small.txt')
    expect(await agent.save()).toEqual([{ status: 'clean', tooLarge: ['-rf', 'very large'] }])
  })
})
