import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GitWorld, type TestAgent } from './git-world.ts'

let world: GitWorld
let upstream: string

beforeEach(async () => {
  world = await GitWorld.start()
  upstream = await world.addUpstream('shop', { 'README.md': 'shop\n' })
})

afterEach(async () => {
  await world.stop()
})

async function push(agent: TestAgent, file: string): Promise<string> {
  await agent.run(`echo ${file} > ${file}; git add -A; git commit -qm ${file}; git push -q`)
  return (await agent.run('git rev-parse HEAD')).trim()
}

async function headOf(branch: string): Promise<string | undefined> {
  return (await world.refsOf(upstream))[`refs/heads/${branch}`]
}

test('agents of two members with the same path have branches of their own, and cannot push to each other’s', async () => {
  const ada = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  const bob = await world.openAgent('docs', { repos: [upstream], owner: 'bob' })
  const branches = [ada, bob].map(({ workspace }) => workspace.names.branch)
  expect(branches[0]).toBe('skein/docs')
  expect(branches[1]).toMatch(/^skein\/docs-[0-9a-f]{8}$/)
  for (const [index, agent] of [ada, bob].entries()) {
    const head = await push(agent, `own-${index}.txt`)
    expect(await headOf(branches[index] ?? '')).toBe(head)
    const other = branches[1 - index] ?? ''
    const before = await headOf(other)
    const { code, stderr } = await agent.attempt(`git push -f origin HEAD:refs/heads/${other}`)
    expect({ code, isTold: stderr.includes(`This agent may not push to ${other}.`) }).toEqual({
      code: 1,
      isTold: true,
    })
    expect(await headOf(other)).toBe(before)
  }
})

test('agents that start at the same time on two hosts do not get the same branch', async () => {
  const hosts = await Promise.all([world.addHost(), world.addHost()])
  const agents = await Promise.all(
    hosts.map((host, index) =>
      world.openAgent('docs', { repos: [upstream], owner: `member-${index}`, host }),
    ),
  )
  expect(new Set(agents.map(({ workspace }) => workspace.names.branch)).size).toBe(2)
  for (const [index, agent] of agents.entries()) await push(agent, `${index}.txt`)
})

test('an agent keeps its branch on every host, whatever other agents did in the meantime', async () => {
  const ada = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  const bob = await world.openAgent('docs', { repos: [upstream], owner: 'bob' })
  const { branch } = bob.workspace.names
  await push(bob, 'one.txt')
  await bob.end()
  // She has pushed nothing, so her name is free again.
  await ada.remove()
  const again = await world.openAgent('docs', {
    repos: [upstream],
    owner: 'bob',
    host: await world.addHost(),
  })
  expect(again.workspace.names.branch).toBe(branch)
  expect(await again.run('ls')).toContain('one.txt')
  const eve = await world.openAgent('docs', { repos: [upstream], owner: 'eve' })
  expect(eve.workspace.names.branch).toBe('skein/docs')
})

test('the branch of a deleted agent is not given to someone else’s', async () => {
  const ada = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  const head = await push(ada, 'one.txt')
  await ada.remove()
  const bob = await world.openAgent('docs', { repos: [upstream], owner: 'bob' })
  expect(bob.workspace.names.branch).not.toBe('skein/docs')
  expect(await bob.run('ls')).not.toContain('one.txt')
  const again = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  expect(again.workspace.names.branch).toBe('skein/docs')
  expect((await again.run('git rev-parse HEAD')).trim()).toBe(head)
})

test('an agent whose upstream takes no pushes works all the same', async () => {
  await mkdir(join(upstream, 'hooks'), { recursive: true })
  await writeFile(join(upstream, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n')
  await chmod(join(upstream, 'hooks', 'pre-receive'), 0o755)
  const agent = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  expect(await agent.run('git branch --show-current')).toBe('skein/docs\n')
})

test('an agent cannot see who has which branch, and cannot change it', async () => {
  const ada = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  const bob = await world.openAgent('docs', { repos: [upstream], owner: 'bob' })
  expect(await bob.run('git ls-remote origin')).not.toContain('refs/skein')
  expect((await bob.attempt('git push -f origin HEAD:refs/skein/branch/docs')).code).toBe(1)
  await ada.end()
  const again = await world.openAgent('docs', { repos: [upstream], owner: 'ada' })
  expect(again.workspace.names.branch).toBe('skein/docs')
})
