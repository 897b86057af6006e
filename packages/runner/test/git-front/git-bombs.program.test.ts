import { afterEach, beforeEach, expect, test } from 'vitest'
import { GitWorld, type TestAgent } from '../workspace/git-world.ts'
import { blobBomb, deltaBomb, deltaChain, pushBody, watchHostGit, type GitPeak } from './bombs.ts'

/** What the host of these tests lets a process of git have, and what the process takes besides its data. */
const MEMORY_MIB = 128
const BOUND_MIB = MEMORY_MIB + 64

let world: GitWorld
let upstream: string
let attacker: TestAgent
let neighbour: TestAgent

beforeEach(async () => {
  world = await GitWorld.start({ gitLimits: { memoryMib: MEMORY_MIB } })
  upstream = await world.addUpstream('shop', { 'README.md': 'shop\n' })
  attacker = await world.openAgent('attacker', { repos: [upstream] })
  neighbour = await world.openAgent('neighbour', { repos: [upstream] })
})

afterEach(async () => {
  await world.stop()
})

/** What git on the host took, while the neighbour could push. */
async function measure(attack: () => Promise<unknown>): Promise<GitPeak> {
  const watch = watchHostGit(world.dir)
  try {
    const attacking = attack()
    await neighbour.run('echo during > during.txt; git add -A; git commit -qm during; git push -q')
    await attacking
    await neighbour.run('echo after > after.txt; git add -A; git commit -qm after; git push -q')
  } finally {
    watch.stop()
  }
  expect(neighbour.pushes.map(({ files }) => files)).toEqual([['during.txt'], ['after.txt']])
  return watch.stop()
}

async function post(body: Buffer): Promise<string> {
  const origin = (await attacker.run('git config remote.origin.url')).trim()
  const response = await fetch(`${origin}/git-receive-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    body: new Uint8Array(body),
  }).catch((error: unknown) => String(error))
  return typeof response === 'string' ? response : response.text().catch(String)
}

/** Commits a file of many short lines. */
function fill(letter: string): string {
  return `yes ${letter} | head -c 5000000 > big.txt; git add -A; git commit -qm ${letter}`
}

const OWN = ['refs/heads/skein/attacker']

test('a small push that merges large files in conflict costs the host little memory', async () => {
  await attacker.run(`${fill('a')}; git branch theirs; ${fill('b')}; git checkout -q theirs; ${fill('c')}`)
  await attacker.run('git checkout -q skein/attacker; git merge -q -s ours theirs -m merge')
  const peak = await measure(() =>
    attacker.run('yes d | head -c 5000000 > big.txt; git commit -qa --amend --no-edit; git push -q'),
  )
  expect(peak.one).toBeLessThan(BOUND_MIB)
  expect(attacker.pushes.at(-1)?.files).toEqual(['big.txt'])
})

test.each([
  ['a blob of 400 MiB of zeros', () => blobBomb(400)],
  ['a delta that makes 3 GiB of 1.2 kB', () => deltaBomb(3072)],
  ['a hundred deltas that make 1 GiB each', () => deltaBomb(1024, 100)],
  ['a chain of 1000 deltas', () => deltaChain(1000)],
])('%s cannot take more memory than git on the host may have', async (_name, make) => {
  const body = pushBody(OWN, make())
  expect(body.length).toBeLessThan(2 * 1024 * 1024)
  const peak = await measure(() => post(body))
  expect(peak.one).toBeLessThan(BOUND_MIB)
  expect(Object.keys(await world.refsOf(upstream))).not.toContain(OWN[0])
})

test('a push of 100,000 refs is refused, and costs the host little memory', async () => {
  const refs = Array.from({ length: 100_000 }, (_, index) => `${OWN[0]}-${index}`)
  const peak = await measure(() => post(pushBody(refs, deltaChain(0))))
  expect(peak.one).toBeLessThan(BOUND_MIB)
  expect(Object.keys(await world.refsOf(upstream))).toHaveLength(2)
})

test('a tree that names itself ten billion times is refused, and costs the host little memory', async () => {
  await attacker.run(
    [
      'tree=$(echo x | git hash-object -w --stdin)',
      'kind="100644 blob"',
      'for level in 1 2 3 4 5 6 7 8 9 10; do',
      '  tree=$(for name in 0 1 2 3 4 5 6 7 8 9; do printf "%s %s\\t%s\\n" "$kind" "$tree" "$name"; done | git mktree)',
      '  kind="040000 tree"',
      'done',
      'git update-ref HEAD $(git commit-tree -p HEAD -m bomb "$tree")',
    ].join('\n'),
  )
  let told = ''
  const peak = await measure(async () => {
    told = (await attacker.attempt('git push -q')).stderr
  })
  expect(peak.one).toBeLessThan(BOUND_MIB)
  expect(told).toContain('remote: The files changed by this push cannot be listed')
  expect(attacker.pushes).toEqual([])
})
