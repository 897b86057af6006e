import { MAX_DIFF_BYTES, MAX_DIFF_FILES } from '@skein/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PushDiff } from '../../src/diffs/push-diffs.ts'
import { GitWorld, runGit, type TestAgent } from '../workspace/git-world.ts'

let world: GitWorld
let upstream: string
let agent: TestAgent

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('')

beforeEach(async () => {
  world = await GitWorld.start()
  upstream = await world.addUpstream('shop', {
    'README.md': 'shop\n',
    'src/a.txt': LINES,
    'src/b.txt': 'b\n',
  })
  agent = await world.openAgent('docs', { repos: [upstream] })
})

afterEach(() => world.stop())

/** Commits and pushes everything, and returns the diffs of the push. */
async function push(script: string, force = ''): Promise<readonly PushDiff[]> {
  await agent.run(`${script}\ngit add -A; git commit -qm change; git push -q ${force}`)
  const last = agent.pushes.at(-1)
  if (!last) throw new Error('Nothing was pushed')
  return agent.workspace.diffPush(last)
}

const named = ({ files }: PushDiff) => files.map(({ change, kind, path }) => `${change} ${kind} ${path}`)

test('a branch is compared with where it left its base, and a push with the one before', async () => {
  const [first, ...none] = await push('echo more >> README.md')
  expect(none).toEqual([])
  expect(first).toMatchObject({
    scope: 'branch',
    branch: 'skein/docs',
    baseBranch: 'main',
    fileCount: 1,
    added: 1,
  })
  expect(first?.files).toMatchObject([{ path: 'README.md', patch: '@@ -1 +1,2 @@\n shop\n+more\n' }])
  await world.commitUpstream(upstream, { 'theirs.txt': 'theirs\n' }, 'theirs')
  await agent.run('git fetch -q')
  const [branch, second] = await push('echo own > own.txt')
  expect(branch && named(branch)).toEqual(['modified text README.md', 'added text own.txt'])
  expect(second && named(second)).toEqual(['added text own.txt'])
  expect(second).toMatchObject({ scope: 'push', baseCommit: first?.commit })
})

test('a forced push and a base that was deleted have a diff too', async () => {
  await push('echo 1 > one.txt')
  const [branch, second] = await push('git reset -q --hard HEAD~1; echo 2 > two.txt', '--force')
  expect(branch && named(branch)).toEqual(['added text two.txt'])
  expect(second && named(second)).toEqual(['deleted text one.txt', 'added text two.txt'])
  await runGit(upstream, 'update-ref', '-d', 'refs/heads/main')
  const [third] = await push('echo 3 > three.txt')
  expect(third && named(third)).toEqual(['added text three.txt', 'added text two.txt'])
})

test('the work in an empty repository is all new', async () => {
  const empty = await world.addUpstream('empty')
  agent = await world.openAgent('first', { repos: [empty] })
  const [branch] = await push('echo 1 > one.txt')
  expect(branch).toMatchObject({ baseBranch: '', baseCommit: '', fileCount: 1 })
})

test('binary files, links, submodules, renames and changed types are what they are', async () => {
  const [branch] = await push(`
    printf 'a\\000b' > data.bin
    ln -s /etc/passwd link
    git mv src/a.txt src/moved.txt; echo end >> src/moved.txt
    rm src/b.txt; ln -s README.md src/b.txt
    mkdir sub; git update-index --add --cacheinfo 160000,${'1'.repeat(40)},sub
    chmod +x README.md`)
  expect(branch && named(branch)).toEqual([
    'modified text README.md',
    'added binary data.bin',
    'added link link',
    'type-changed link src/b.txt',
    'renamed text src/moved.txt',
    'added submodule sub',
  ])
  const patches = new Map(branch?.files.map(({ path, patch }) => [path, patch]))
  expect(patches.get('README.md')).toBe('')
  expect(patches.get('data.bin')).toBe('')
  expect(patches.get('link')).toContain('+/etc/passwd\n')
  expect(patches.get('src/b.txt')).toBe(
    '@@ -1 +0,0 @@\n-b\n@@ -0,0 +1 @@\n+README.md\n\\ No newline at end of file\n',
  )
  expect(patches.get('src/moved.txt')).toContain('+end\n')
  expect(patches.get('sub')).toContain(`+Subproject commit ${'1'.repeat(40)}`)
  expect(branch?.files.find(({ change }) => change === 'renamed')?.oldPath).toBe('src/a.txt')
})

test('names with control characters and content that is not text arrive as text', async () => {
  const [branch] = await push(`
    printf 'x\\n' > "$(printf 'a\\nb\\033[31m\\ndiff --git a b')"
    printf 'x\\n' > "$(printf 'bad\\377name')"
    { head -c 9000 /dev/zero | tr '\\0' a; printf '\\n\\000\\377\\n'; } > late.bin`)
  expect(branch?.files.map(({ path }) => path)).toEqual([
    'a\nb\u001b[31m\ndiff --git a b',
    'bad\ufffdname',
    'late.bin',
  ])
  expect(branch?.files.every(({ isOmitted }) => !isOmitted)).toBe(true)
  expect(branch?.files.at(-1)?.patch).toContain('+␀\ufffd\n')
})

test('nothing in the repository runs a program or hides what changed', async () => {
  const [branch] = await push(`
    printf '* -diff\\n*.txt diff=evil filter=evil\\n' > .gitattributes
    git config diff.evil.textconv 'touch ${world.dir}/owned; cat'; git config diff.evil.command 'touch ${world.dir}/owned'
    echo shown >> src/b.txt`)
  expect(branch?.files.at(-1)).toMatchObject({ path: 'src/b.txt', patch: '@@ -1 +1,2 @@\n b\n+shown\n' })
  await expect(runGit(world.dir, 'hash-object', 'owned')).rejects.toThrow('could not open')
})

test('300 files and one of two megabytes fit; what is larger is left out, and the rest is complete', async () => {
  const [branch] = await push(`
    mkdir many; for i in $(seq 300); do echo $i > many/$i.txt; done
    yes 'a line of some text that repeats itself' | head -c 2000000 > big.txt
    yes '' | head -c 2500000 > more.txt
    head -c 5000000 /dev/zero | tr '\\0' a > huge.txt
    head -c 900000 /dev/zero | tr '\\0' a > line.txt`)
  expect(branch?.fileCount).toBe(304)
  const omitted = branch?.files.filter(({ isOmitted }) => isOmitted).map(({ path }) => path)
  expect(omitted).toEqual(['more.txt'])
  const [big] = branch?.files.filter(({ path }) => path === 'big.txt') ?? []
  expect(big?.patch.length).toBeGreaterThan(2_000_000)
  expect(branch?.files.find(({ path }) => path === 'huge.txt')).toMatchObject({ kind: 'binary', patch: '' })
  expect(JSON.stringify(branch).length).toBeLessThan(MAX_DIFF_BYTES + 200 * 1024)
})

test('long names leave files out, and the rest fits a report', async () => {
  const [branch] = await push(`
    long=$(printf '%0240d' 0); deep=$long/$long/$long/$long/$long/$long/$long/$long/$long/$long
    mkdir -p $deep; cd $deep; seq 900 | xargs touch; cd - >/dev/null`)
  expect(branch?.fileCount).toBe(900)
  expect(branch?.files.length).toBeGreaterThan(100)
  expect(JSON.stringify(branch).length).toBeLessThan(1024 * 1024)
})

test('of thousands of files the first thousand are listed and all are counted', async () => {
  const [branch] = await push('mkdir many; cd many; seq 1200 | xargs -n 400 touch; cd ..')
  expect(branch?.fileCount).toBe(1200)
  expect(branch?.files).toHaveLength(MAX_DIFF_FILES)
})
