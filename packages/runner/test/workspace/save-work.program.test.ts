import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GitWorld, runGit, type TestAgent } from './git-world.ts'

let world: GitWorld
let upstream: string

beforeEach(async () => {
  world = await GitWorld.start()
  upstream = await world.addUpstream('shop', {
    'a.txt': 'a\n',
    'src/b.txt': 'b\n',
    'src/deep/c.txt': 'c\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    '.gitignore': '*.log\n',
    '.gitattributes': '*.txt text=auto\n',
  })
})

afterEach(async () => {
  await world.stop()
})

/** Everything about the agent's folder that must come back. */
const DESCRIBE = `
git symbolic-ref HEAD || echo detached
git rev-parse HEAD || echo unborn
git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/stash
find . -path ./.git -prune -o ! -name '*.log' ! -type d -printf '%p %y %m %l\\n' | sed 's/ 6.. / rw /; s/ 7.. / rwx /' | LC_ALL=C sort
find . -path ./.git -prune -o ! -name '*.log' -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum
`

async function elsewhere(): Promise<TestAgent> {
  return world.openAgent('docs', { repos: [upstream], host: await world.addHost() })
}

describe('saving and continuing elsewhere', () => {
  test.each<[string, string]>([
    [
      'changed, new, removed and empty files',
      'echo x >> a.txt; mkdir -p n/m; echo y > n/m/new; rm src/b.txt; : > empty',
    ],
    [
      'names with blanks, accents, quotes and a leading dash',
      `echo 1 > "a b"; echo 2 > café; echo 3 > "it's"; echo 4 > -x`,
    ],
    [
      'modes and links',
      'chmod +x a.txt; ln -s a.txt link; ln -s /nowhere/at/all dangling; rm src/b.txt; ln -s deep src/b.txt',
    ],
    [
      'a file in place of a directory, and the other way round',
      'rm -r src; echo f > src; rm a.txt; mkdir a.txt; echo d > a.txt/d',
    ],
    [
      'commits that were not pushed',
      'echo 1 > one; git add -A; git commit -qm one; echo 2 > one; git commit -qam two; echo 3 > one',
    ],
    [
      'another branch',
      'git checkout -qb try; echo 1 > one; git add -A; git commit -qm try; git checkout -q -; git branch keep',
    ],
    [
      'being on another branch',
      'git checkout -qb try; echo 1 > one; git add -A; git commit -qm try; echo 2 > one',
    ],
    [
      'no branch at all',
      'echo 1 > one; git add -A; git commit -qm one; git checkout -q --detach; echo 2 > one',
    ],
    [
      'being behind what was pushed',
      'echo 1 > one; git add -A; git commit -qm one; git push -q; git reset -q --hard HEAD~',
    ],
    ['line ends, byte for byte', `printf 'x\\r\\ny\\n' > mixed.txt; printf 'one\\ntwo\\r\\n' > crlf.txt`],
    [
      'a branch without commits',
      'git checkout -q --orphan fresh; git rm -rqf .; echo "*.log" > .gitignore; echo 1 > one',
    ],
  ])('%s come back', async (_what, script) => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run(`{ ${script}; } && echo noise > debug.log`)
    const before = await agent.run(DESCRIBE)
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    expect(await agent.run(DESCRIBE)).toBe(before)
    const other = await elsewhere()
    expect(await other.run(DESCRIBE)).toBe(before)
    expect(
      await other.run('git rev-parse -q --verify HEAD > /dev/null || exit 0; git diff --cached --stat'),
    ).toBe('')
    expect(await other.attempt('ls debug.log')).toMatchObject({ code: 2 })
  })

  test('whatever an agent does to its files comes back', async () => {
    const name = fc.constantFrom('a.txt', 'src/b.txt', 'src/deep/c.txt', 'new/é x.txt', 'new/y', 'z')
    const content = fc.constantFrom('', 'x\n', 'x\r\n', 'no newline', 'much\n'.repeat(2_000))
    const edit = fc.oneof(
      fc.tuple(name, content).map(([file, text]) => {
        const bytes = Buffer.from(text).toString('base64')
        return `mkdir -p "$(dirname "${file}")" && echo '${bytes}' | base64 -d > "${file}" || :`
      }),
      name.map((file) => `rm -rf "${file}"`),
      name.map((file) => `chmod +x "${file}" 2> /dev/null || :`),
      name.map((file) => `rm -rf "${file}"; ln -s elsewhere "${file}" || :`),
      fc.tuple(name, name).map(([from, to]) => `mv "${from}" "${to}" 2> /dev/null || :`),
      fc.constant('git add -A'),
      fc.constant('git commit -q --allow-empty -am work'),
      fc.constant('git checkout -qB other'),
      fc.constant('git push -qf origin HEAD:refs/heads/skein/docs'),
    )
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
        await agent.run(edits.join('\n'))
        const before = await agent.run(DESCRIBE)
        const [outcome] = await agent.save()
        expect(outcome?.status).not.toBe('failed')
        const other = await elsewhere()
        const after = await other.run(DESCRIBE)
        await other.end()
        // What is clean comes back from its branch; another branch that says nothing new is not kept.
        const relevant = (text: string) =>
          text.split('\n').filter((line) => outcome?.status === 'saved' || line.includes('./'))
        expect(relevant(after)).toEqual(relevant(before))
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  test('when everything is upstream, nothing is kept, and what was kept goes away', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    expect(await agent.save()).toEqual([{ status: 'clean', tooLarge: [] }])
    await agent.run('echo 1 > one')
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    expect(await world.refsOf(upstream)).toHaveProperty([agent.workspace.names.savedRef])
    await agent.run('git add -A; git commit -qm one; git push -q')
    expect(await agent.save()).toEqual([{ status: 'clean', tooLarge: [] }])
    expect(Object.keys(await world.refsOf(upstream))).toEqual(['refs/heads/main', 'refs/heads/skein/docs'])
  })

  test('the same work is saved as the same commit', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo 1 > one')
    const [first] = await agent.save()
    expect(await agent.save()).toEqual([first])
    const other = await elsewhere()
    expect(await other.save()).toEqual([first])
  })

  test('an unborn branch of an empty repository comes back', async () => {
    upstream = await world.addUpstream('empty')
    const agent = await world.openAgent('docs', { repos: [upstream] })
    expect(await agent.save()).toEqual([{ status: 'clean', tooLarge: [] }])
    await agent.run('echo 1 > one; mkdir d; echo 2 > d/two; git add one')
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    const other = await elsewhere()
    expect(
      await other.run('git symbolic-ref HEAD; cat one d/two; git rev-parse -q --verify HEAD || echo unborn'),
    ).toBe('refs/heads/skein/docs\n1\n2\nunborn\n')
    await other.run('git add -A; git commit -qm one; git push -q')
    expect(other.pushes).toMatchObject([{ files: ['d/two', 'one'] }])
  })
})

describe('while the agent is at work', () => {
  test('neither the index nor the files nor the branch are touched, and locks are not in the way', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run(
      'echo staged > staged; git add staged; echo more >> staged; touch .git/index.lock .git/HEAD.lock',
    )
    const look =
      'cksum .git/index .git/HEAD staged; git diff --cached --name-only; ls -a .git; find .git/objects -type f | wc -l'
    const before = await agent.run(look)
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    expect(await agent.run(look)).toBe(before)
  })

  test('files that appear and disappear in the meantime do not stop it', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    const busy = agent.attempt(
      'i=0; while [ ! -e stop ]; do i=$((i + 1)); echo $i > tmp-$i; echo $i >> a.txt; rm -f tmp-$((i - 3)); done',
    )
    for (let round = 0; round < 3; round += 1) expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    await agent.run('touch stop')
    await busy
  })

  test('nested repositories, unreadable files and special files do not stop it', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run(
      'git init -q empty; git init -q sub; git -C sub -c user.name=x -c user.email=x commit -q --allow-empty -m x; mkfifo pipe; echo 1 > one',
    )
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    const other = await elsewhere()
    expect(await other.run('cat one')).toBe('1\n')
  })
})

test('saved work that nobody can read is not trusted: the agent starts from its branch', async () => {
  const agent = await world.openAgent('docs', { repos: [upstream] })
  await agent.run(`git push -q origin HEAD:${agent.workspace.names.savedRef}`)
  await agent.end()
  const other = await elsewhere()
  expect(await other.run('git symbolic-ref HEAD; cat a.txt')).toBe('refs/heads/skein/docs\na\n')
  expect(await runGit(upstream, 'log', '--format=%s', agent.workspace.names.savedRef)).toBe('first\n')
})
